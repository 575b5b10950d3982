"""Which engines rest for a while: after faults in a row, or because they were absent."""

from __future__ import annotations

import itertools
from collections import Counter

from oddly.tournaments.formats.plan import Rest

FIRST_ABSENCE = 2.0
"""Seconds before an absent engine is tried again; twice as long each time."""
MAX_ABSENCE = 60.0
FIRST_REST = 60.0
"""Seconds that an engine rests after its faults in a row; twice as long each time."""
MAX_REST = 3600.0

_NUMBERS = itertools.count(1)
"""The numbers of rests: one count for all games, since each game of a pool gets every wake."""


class RestingEngines:
    """The engines left alone for a while: after `rest_after` faults in a row, or while absent.

    If `rest_after` is None, no fault gives a rest.
    """

    def __init__(self, rest_after: int | None) -> None:
        self.absent: set[str] = set()
        """The engines that were absent when last needed."""
        self.missed: Counter[str] = Counter()
        """How many games of each engine were put off because it was absent."""
        self._rest_after = rest_after
        self._faults: Counter[str] = Counter()
        self._rests: Counter[str] = Counter()
        self._tries: Counter[str] = Counter()
        self._now: dict[str, Rest] = {}
        self._new: list[Rest] = []

    def __contains__(self, name: object) -> bool:
        return name in self._now

    @property
    def names(self) -> list[str]:
        """The engines that rest, in alphabetical order."""
        return sorted(self._now)

    def played(self, name: str, *, at_fault: bool) -> None:
        """Note a game that counts, after which the engine may have to rest."""
        self.absent.discard(name)
        self._tries[name] = 0
        self._faults[name] = self._faults[name] + 1 if at_fault else 0
        if not at_fault:
            self._rests[name] = 0
        elif self._rest_after is not None and self._faults[name] >= self._rest_after:
            seconds = min(MAX_REST, FIRST_REST * 2 ** min(20, self._rests[name]))
            self._rests[name] += self._rest(name, seconds)

    def missing(self, name: str) -> None:
        """Note that the engine was absent, so that it is left alone for a while."""
        self.absent.add(name)
        self.missed[name] += 1
        seconds = min(MAX_ABSENCE, FIRST_ABSENCE * 2 ** min(20, self._tries[name]))
        self._tries[name] += self._rest(name, seconds)

    def wake(self, rest: Rest) -> None:
        """End a rest, unless it has ended and the engine has another one."""
        for name, now in self._now.items():
            if now.number == rest.number:
                del self._now[name]
                return

    def rename(self, old: str, new: str) -> None:
        """Give an engine another name, under which its rest goes on."""
        for count in (self.missed, self._faults, self._rests, self._tries):
            count[new] = count.pop(old, 0)
        if old in self.absent:
            self.absent = self.absent - {old} | {new}
        if old in self._now:
            self._now[new] = self._now.pop(old)._replace(name=new)

    def pardon(self, name: str) -> None:
        """Forget the engine's faults and absences, and let it play at once."""
        self._now.pop(name, None)
        for count in (self._faults, self._rests, self._tries):
            count[name] = 0

    def begun(self) -> list[Rest]:
        """Return the rests that began since the last call."""
        new, self._new = self._new, []
        return new

    def _rest(self, name: str, seconds: float) -> bool:
        """Begin a rest, and return whether one began: the engine may rest already."""
        if name in self._now:
            # Several games ended badly at once.
            return False
        self._now[name] = Rest(name, seconds, next(_NUMBERS))
        self._new.append(self._now[name])
        return True
