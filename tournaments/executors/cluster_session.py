"""Preloaded by the workers that we start ourselves, before their first game.

Ctrl-C in a terminal goes to every process of the terminal's session. Only the planning process
decides whether running games are finished, so workers must not receive the signal.
"""

from __future__ import annotations

import os
from contextlib import suppress


def dask_setup(worker: object) -> None:
    """Called by Dask in the worker's main thread."""
    with suppress(PermissionError):
        os.setsid()
