"""Whether this machine has so much to do that an engine may be late through no fault of its own."""

from __future__ import annotations

import os

BUSY = 0.02
"""Seconds by which our own loop is late on a machine that has no time for engines either."""


def is_busy(worst_lag: float) -> bool:
    """Return whether our own loop was late, or more programs want to run than there are cores."""
    return worst_lag > BUSY or os.getloadavg()[0] > (os.cpu_count() or 1)
