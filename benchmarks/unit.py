"""The unit of benchmarks that other machines repeat: what a plain Python loop takes there."""

from __future__ import annotations

from timeit import repeat

LOOP = "for i in range(12_000_000): n += i & 3"
TIMES = 3
"""Loops, of which the quickest counts: nothing else makes a loop quicker than it is."""


def unit() -> float:
    """Return the seconds that the loop takes."""
    return min(repeat(LOOP, "n = 0", number=1, repeat=TIMES))
