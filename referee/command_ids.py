"""The ids of the commands to one engine: rising, and not to be foreseen."""

from __future__ import annotations

import os

from protocol.canonical import MAX_ID

RESERVE = 1 << 27
"""Ids that a game may need."""


class CommandIds:
    """Gives each write the ids of its commands, after a step of 1 to 4,096 from the last one.

    An engine that answers a question which it has not been asked would have to guess the step.
    """

    def __init__(self) -> None:
        self._last = 0

    def next(self, number: int) -> int:
        """Return the first of `number` ids in a row."""
        step = int.from_bytes(os.urandom(2)) % 4096 + 1
        first = self._last + step
        self._last = first + number - 1
        return first

    @property
    def are_running_out(self) -> bool:
        """Whether there may be too few left for another game."""
        return self._last > MAX_ID - RESERVE
