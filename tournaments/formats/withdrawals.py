"""Which engines of a rating pool rest: those that were not there, or failed several times in a row.

Nothing here knows a clock. A rest is handed to the runner, which gives it back when it is over.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

FIRST_ABSENCE = 2.0
"""Seconds after which an engine that was not there is tried again; twice as long each time."""
MAX_ABSENCE = 60.0
FIRST_REST = 60.0
"""Seconds that an engine rests after its faults in a row; twice as long each time."""
MAX_REST = 3600.0


class Rest(NamedTuple):
    """A rest of an engine. `number` tells it from its other rests."""

    name: str
    seconds: float
    number: int


class Resting:
    """The engines that rest. `patience` is how many faults in a row lead to it; None for any."""

    def __init__(self, patience: int | None) -> None:
        self.absent: set[str] = set()
        """The engines that were not there when they were last asked for."""
        self.missed: Counter[str] = Counter()
        """How many games of each engine were put off since it was not there."""
        self._patience = patience
        self._faults: Counter[str] = Counter()
        self._rests: Counter[str] = Counter()
        self._tries: Counter[str] = Counter()
        self._now: dict[str, Rest] = {}
        self._new: list[Rest] = []
        self._number = 0

    def __contains__(self, name: object) -> bool:
        return name in self._now

    @property
    def names(self) -> list[str]:
        """The engines that rest, in the alphabet's order."""
        return sorted(self._now)

    def played(self, name: str, *, at_fault: bool) -> None:
        """Take note of a game that counts, after which the engine may have to rest."""
        self.absent.discard(name)
        self._tries[name] = 0
        self._faults[name] = self._faults[name] + 1 if at_fault else 0
        if not at_fault:
            self._rests[name] = 0
        elif self._patience is not None and self._faults[name] >= self._patience:
            self._rest(name, min(MAX_REST, FIRST_REST * 2 ** min(20, self._rests[name])))
            self._rests[name] += 1

    def missing(self, name: str) -> None:
        """Take note that the engine was not there, so that it is not asked for a while."""
        self.absent.add(name)
        self.missed[name] += 1
        self._rest(name, min(MAX_ABSENCE, FIRST_ABSENCE * 2 ** min(20, self._tries[name])))
        self._tries[name] += 1

    def wake(self, rest: Rest) -> None:
        """End a rest, unless it has ended and the engine has another one."""
        if self._now.get(rest.name) == rest:
            del self._now[rest.name]

    def pardon(self, name: str) -> None:
        """Forget the engine's faults and absences, and let it play at once."""
        self._now.pop(name, None)
        for count in (self._faults, self._rests, self._tries):
            count[name] = 0

    def begun(self) -> list[Rest]:
        """Return the rests that began since the last call."""
        new, self._new = self._new, []
        return new

    def _rest(self, name: str, seconds: float) -> None:
        if name in self._now:
            # Several games ended badly at once.
            return
        self._number += 1
        self._now[name] = Rest(name, seconds, self._number)
        self._new.append(self._now[name])
