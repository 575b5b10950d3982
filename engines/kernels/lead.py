"""What a lead is worth, as a chance of winning."""

from __future__ import annotations

import math

from oddly.engines.kernels.jit import inlined


@inlined
def chance(lead, worth):  # type: ignore[no-untyped-def]
    """Return the chance of winning if each unit of `lead` counts for `worth` log-odds."""
    return 1.0 / (1.0 + math.exp(-worth * lead))
