"""The ids of the commands to one engine: rising and unpredictable."""

from __future__ import annotations

import os

from oddly.protocol.canonical import MAX_ID

RESERVE = 1 << 27
"""Ids that a game may need."""
DRAWN = 512
"""Random bytes that are drawn at a time, two for a step."""


class CommandIds:
    """Gives each write the ids of its commands, after a step of 1 to 4,096 from the last one.

    An engine that answers before it is asked would have to guess the step.
    """

    def __init__(self) -> None:
        self._last = 0
        self._steps = iter(memoryview(b""))

    def next(self, number: int) -> int:
        """Return the first of `number` ids in a row."""
        chance = next(self._steps, None)
        if chance is None:
            self._steps = iter(memoryview(os.urandom(DRAWN)).cast("H"))
            chance = next(self._steps)
        first = self._last + chance % 4096 + 1
        self._last = first + number - 1
        return first

    @property
    def are_running_out(self) -> bool:
        """Whether too few ids may be left for another game."""
        return self._last > MAX_ID - RESERVE
