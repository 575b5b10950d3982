"""The clock of an arena: it stands still while the arena does."""

from __future__ import annotations

import trio

TICK = 0.05
"""Seconds between two readings of the clock."""
STALL = 0.3
"""A pause of this many seconds between two readings means that the arena itself stood still."""


class ArenaClock:
    """The seconds that an arena has run, over all its runs.

    It stands still while the arena does not run, and while its process is stopped, so the player to
    move loses no time.
    """

    def __init__(self, base: float) -> None:
        self._base = base
        self._seen = self._since = trio.current_time()
        self._lost = 0.0

    def now(self) -> float:
        """Return the seconds of the arena's clock."""
        now = trio.current_time()
        if now - self._seen > STALL:
            self._lost += now - self._seen - TICK
        self._seen = now
        return self._base + now - self._since - self._lost
