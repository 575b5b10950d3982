"""The base of all plans: which games come next, given the results so far, and what is reported.

A plan leaves out engines that rest, after faults in a row or because they were absent, and engines
that retired. The games of the event, not a clock, tell when they retired.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.referee import Outcome, Termination
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.tournaments.results.sequential import Question


PLAYERS = 2
"""How many engines play a game."""
FIRST_ABSENCE = 2.0
"""Seconds before an absent engine is tried again; twice as long each time."""
MAX_ABSENCE = 60.0
FIRST_REST = 60.0
"""Seconds that an engine rests after its faults in a row; twice as long each time."""
MAX_REST = 3600.0
_NUMBERS = itertools.count(1)
"""The numbers of rests: one count for all games, since each game of a pool gets every wake."""


class Plan(ABC):
    """The games of a tournament, as far as the results so far decide them.

    A plan is deterministic: its games follow from its settings and the results so far, never from a
    clock or an address in memory. A void game decides nothing: what depends on it waits until
    another run has replayed it.
    """

    @property
    def total(self) -> int | None:
        """The number of games in all; None if that depends on results."""
        return None

    @abstractmethod
    def next(self) -> ScheduledGame | None:
        """Return a game that may begin now; None if results are missing, or at the end.

        Each game is given once. If it returns None while no game is running, the tournament is
        over.
        """

    @abstractmethod
    def learn(self, played: PlayedGame) -> None:
        """Learn that a game from `next` has ended: once for each game, in any order."""

    def preparation(self) -> Callable[[], None] | None:
        """Return a long calculation that `next` needs; None if there is none.

        It may run in a thread while other games go on and end. If nobody runs it, `next` does.
        """
        return None

    @property
    def learns(self) -> bool:
        """Whether results matter to the plan."""
        return True

    def look_ahead(self) -> ScheduledGame | None:
        """Return what `next` does, but do not begin a round that no game has begun."""
        return self.next()

    @property
    def goes_on(self) -> bool:
        """Whether only a new round is left to begin."""
        return False

    @property
    def is_done(self) -> bool:
        """Whether no game is left, provided that none is running. It may use up the next game."""
        return not self.goes_on and self.look_ahead() is None

    def learn_earlier(self, played: PlayedGame) -> None:
        """Learn the result of a game of an earlier run."""
        self.learn(played)

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether a game from `next` was decided without play, and stays so.

        An engine in it was retired when games began that depend on it.
        """
        return False

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Learn that a game from `next` is not played, because one of its engines is retired.

        Where pairings follow from results, player `winner` advances as if it had won, unless the
        plan knows who retired first.
        """
        return

    @property
    def fewest(self) -> int:
        """The fewest engines with which it goes on when all others are retired."""
        return PLAYERS

    def miss(self, scheduled: ScheduledGame, absent: Sequence[str]) -> None:
        """Learn that these engines were absent from a game, which counts for nobody."""
        return

    def pardon(self, name: str) -> None:
        """Forget the faults of an engine."""
        return

    def rests(self) -> Sequence[Rest]:
        """Return the rests that began since the last call."""
        return ()

    def wake(self, rest: Rest) -> None:
        """Learn that a rest is over."""
        return

    @property
    def waits(self) -> bool:
        """Whether there will be games when engines have rested."""
        return False

    @property
    def question(self) -> Question | None:
        """The question that the games are to answer, if there is one."""
        return None

    def verdict(self) -> str:
        """Return why there are no more games, or what is missing; may be empty."""
        return ""

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return what the format reports on each game, by title; None before there is anything."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Return the same as plain values for JSON."""
        return {}


class FixedPlan(Plan):
    """Games that do not depend on results. `total` is their number, counted by default."""

    def __init__(self, schedule: Iterable[ScheduledGame], total: int | None = None) -> None:
        if total is None:
            schedule = list(schedule)
        self._total = len(schedule) if isinstance(schedule, list) else total
        self._waiting = iter(schedule)
        self._dropped = 0

    @property
    def total(self) -> int | None:
        """The number of all games."""
        return self._total

    def next(self) -> ScheduledGame | None:
        """Return the games in their order; their numbers leave out those that were dropped."""
        scheduled = next(self._waiting, None)
        if scheduled is None or not self._dropped:
            return scheduled
        return replace(scheduled, number=scheduled.number - self._dropped)

    @property
    def learns(self) -> bool:
        """No game depends on a result."""
        return False

    def learn(self, played: PlayedGame) -> None:
        """Do nothing: no game depends on it."""

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Count it, so that the numbers of later games leave it out."""
        self._dropped += 1


def walkover(scheduled: ScheduledGame, winner: int) -> PlayedGame:
    """Return the result that an encounter's plan learns for a game that is not played."""
    outcome = Outcome(winner, None, "", Termination.WITHDRAWN, "the opponent is retired", 0)
    return PlayedGame(scheduled, outcome)


class ReportTable(NamedTuple):
    """A report as a table, for text and pages alike."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    """Each row has the engine's name in the column headed `engine`."""
    note: str = ""
    """What a reader should know about the numbers, in a few words."""


class FormatReport:
    """What a format reports beyond the standings that every tournament has."""

    __slots__ = ()

    def table(self) -> ReportTable | None:
        """Return the report as a table; None if interfaces have a better way to show it."""
        return None


class Rest(NamedTuple):
    """A rest of an engine. `number` tells it apart from all other rests."""

    name: str
    seconds: float
    number: int


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


class Moment(NamedTuple):
    """The moment when a game began: its place among all games, and who was retired then."""

    place: int
    retired: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Retirements:
    """The engines that were retired when each game began, and those retired now.

    Each has the place of its retirement among all, which is the same for engines that the file
    retires at once.
    """

    now: Mapping[str, int] = field(default_factory=dict)
    by_game: Mapping[str, Moment] = field(default_factory=dict)
    """By the games' ids in the schedule."""

    def when(self, games: Iterable[ScheduledGame]) -> Mapping[str, int]:
        """Return who was retired when the first of these games began; if none did, who is now."""
        moments = (self.by_game.get(scheduled_id(game.id)) for game in games)
        known = (moment for moment in moments if moment is not None)
        return min(known, default=Moment(0, self.now)).retired

    def until_now(self, games: Iterable[ScheduledGame]) -> Mapping[str, int]:
        """Return who was retired when the first of these games began, and who retired later."""
        return {**self.now, **self.when(games)}


UNKNOWN_RETIREMENTS = Retirements()
"""Those of a ledger that does not tell the order of its rows, or retires nobody."""


def retirements_of(events: Iterable[tuple[str, ...]]) -> Retirements:
    """Return the retirements of an event from its games, rulings and files, in their order.

    Each is `began` with the id of a game, `retire` or `restore` with the name of an engine, or
    `file` with the names of all engines that are not active in the file from then on.
    """
    retired: dict[str, int] = {}
    by_game: dict[str, Moment] = {}
    by_rulings: set[str] = set()
    by_file: set[str] = set()
    for place, (kind, *names) in enumerate(events):
        match kind:
            case "began":
                by_game.setdefault(scheduled_id(names[0]), Moment(len(by_game), retired))
                continue
            case "retire":
                by_rulings.update(names)
            case "restore":
                by_rulings.difference_update(names)
            case "file":
                by_file = {*names}
        retired = {name: retired.get(name, place) for name in by_rulings | by_file}
    return Retirements(retired, by_game)
