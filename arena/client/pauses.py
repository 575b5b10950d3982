"""The pauses between attempts to connect: short at first, then longer, and randomly varied."""

from __future__ import annotations

import random

FIRST_PAUSE, MAX_PAUSE = 0.2, 60.0
"""Seconds before the first attempt after a cut, and at most between two. Each varies by half."""


class Pauses:
    """Gives one pause after the other; call `begin_anew` when an attempt has succeeded."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._next = FIRST_PAUSE

    def begin_anew(self) -> None:
        """Begin with a short pause again."""
        self._next = FIRST_PAUSE

    def next(self) -> float:
        """Return the seconds to wait before the next attempt."""
        pause, self._next = self._next, min(2 * self._next, MAX_PAUSE)
        return min(MAX_PAUSE, pause * self._random.uniform(0.5, 1.5))
