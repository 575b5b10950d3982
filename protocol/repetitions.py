"""Games of Ayu on 5x5 whose last turn repeats a position, which random games hardly ever do."""

from __future__ import annotations

AYU_SIZE = 5
REPETITIONS = (
    "d5-d4 c2-c3 d1-d2 c3-b4 b1-b2 c4-a3 d4-c2 e4-e3 b3-d4 b4-a1 d4-b3 a1-b4",
    "d3-c3 a2-b2 c3-b4 c4-d4 b1-c1 e2-d2 b3-c5 e4-d3 b4-e5 b2-c4 e5-b4 c4-b2",
)
"""Turns from the start, with spaces between."""
