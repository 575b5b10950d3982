"""The base of all plans: which games come next, given the results so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.referee import Outcome, Termination
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, replayed_id, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.tournaments.formats.format_report import FormatReport
    from oddly.tournaments.results.sequential import Question


PLAYERS = 2
"""How many engines play a game."""


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


class ResumedPlan(Plan):
    """A plan that knows the results of earlier runs and gives only the other games.

    A known result is learnt at the moment its game would have been played, so that the plan gives
    the same games as a single run. A game that was `annulled` is played again, under a new id.
    Retired engines get no more games; with too few others of the `engines` there are none.
    The total of the plan leaves out `more` of the known games.

    The keys of the known games are their ids in the schedule.
    """

    def __init__(
        self,
        plan: Plan,
        known: Mapping[str, PlayedGame],
        annulled: Container[str] = (),
        retired: AbstractSet[str] = frozenset(),
        engines: Sequence[str] = (),
        more: int = 0,
    ) -> None:
        self._plan = plan
        self._retired = retired
        self._engines = engines
        self._known = known
        self._annulled = annulled
        self._more = more
        self._ahead: deque[ScheduledGame] = deque()
        self._running: set[str] = set()
        self.restored: dict[str, PlayedGame] = {}
        """The games that count again since the plan began, by their ids in the schedule."""
        self.learnt = 0
        """How many of the known games the plan has learnt."""

    def restore(self, played: PlayedGame) -> None:
        """Learn that an annulled game counts again, so that its place needs no other game."""
        self.restored[scheduled_id(played.scheduled.id)] = played

    @property
    def total(self) -> int | None:
        """The number of games in all, known ones and those still to be played."""
        total = self._plan.total
        return None if total is None else total + self._more

    def preparation(self) -> Callable[[], None] | None:
        """Return the calculation that the plan needs, unless a game is known already."""
        return None if self._ahead else self._plan.preparation()

    def follow(self, other: ResumedPlan) -> None:
        """Go on as another plan, which was made anew because of a ruling on an engine.

        The plan stays as it is if the other one does not come to a game that is running, or if
        games were annulled meanwhile: those are for the next run.
        """
        if other._annulled != self._annulled or (ahead := other._all_ahead(self._running)) is None:
            return
        self._plan, self._known = other._plan, other._known
        self.learnt, self._ahead = other.learnt, ahead

    def _all_ahead(self, running: AbstractSet[str]) -> deque[ScheduledGame] | None:
        """Return all games that can be given without a further result, but those `running`.

        Returns None if not all of the latter, given by their planned ids, are among them.
        """
        missing, self._running = {*running}, {*running}

        def give() -> ScheduledGame | None:
            if (scheduled := self._plan.look_ahead()) is not None:
                missing.discard(scheduled.id)
            return scheduled

        ahead = deque(iter(partial(self._next, give), None))
        return None if missing else ahead

    @property
    def is_done(self) -> bool:
        """Whether no game is left, provided that none is running."""
        self._look_ahead()
        return not self._ahead and not self._plan.goes_on

    def _look_ahead(self) -> None:
        """Learn the known games that come before the next one."""
        if not self._ahead and (scheduled := self._next(self._plan.look_ahead)) is not None:
            self._ahead.append(scheduled)

    def look_ahead(self) -> ScheduledGame | None:
        """Return what `next` does, but begin no round."""
        self._look_ahead()
        return self.next() if self._ahead else None

    @property
    def goes_on(self) -> bool:
        """Whether only a new round is left to begin."""
        return not self._ahead and self._plan.goes_on

    def next(self) -> ScheduledGame | None:
        """Return the next game whose result is not known."""
        found = None
        while self._ahead and found is None:
            scheduled = self._ahead.popleft()
            if (known := self.restored.get(scheduled_id(scheduled.id))) is None:
                found = scheduled
            else:
                self._plan.learn_earlier(replace(known, scheduled=_as_planned(scheduled)))
        if (found := found or self._next(self._plan.next)) is not None:
            self._running.add(scheduled_id(found.id))
        return found

    def _next(self, give: Callable[[], ScheduledGame | None]) -> ScheduledGame | None:
        while (scheduled := give()) is not None:
            if scheduled.id in self._running or (
                not self._plan.learns and scheduled.id in self._known
            ):
                continue
            known = self.restored.get(scheduled.id) or self._known.get(scheduled.id)
            if known is not None:
                self.learnt += 1
                self._plan.learn_earlier(replace(known, scheduled=scheduled))
            elif self._plan.gave_up(scheduled):
                self._drop(scheduled)
            elif self._is_over:
                # It is not played, but games that were may follow.
                if not self._plan.learns or self.learnt >= len(self._known):
                    return None
            elif self._retired.isdisjoint((scheduled.first, scheduled.second)):
                return replace(scheduled, id=replayed_id(scheduled.id, self._annulled))
            else:
                self._drop(scheduled)
        return None

    def _drop(self, scheduled: ScheduledGame) -> None:
        self._plan.drop(scheduled, int(scheduled.first in self._retired))

    @property
    def _is_over(self) -> bool:
        """Whether too few engines are left."""
        left = {*self._engines} - self._retired
        return bool(self._retired) and len(left) < self._plan.fewest

    def learn(self, played: PlayedGame) -> None:
        """Pass the result on to the plan."""
        scheduled = _as_planned(played.scheduled)
        self._running.discard(scheduled.id)
        self._plan.learn(replace(played, scheduled=scheduled))

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether the plan gave up the game."""
        return self._plan.gave_up(_as_planned(scheduled))

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Pass it on to the plan."""
        self._plan.drop(_as_planned(scheduled), winner)

    def miss(self, scheduled: ScheduledGame, absent: Sequence[str]) -> None:
        """Pass it on to the plan."""
        self._running.discard(scheduled_id(scheduled.id))
        self._plan.miss(_as_planned(scheduled), absent)

    def pardon(self, name: str) -> None:
        """Pass it on to the plan."""
        self._plan.pardon(name)

    def rests(self) -> Sequence[Rest]:
        """Return the rests of the plan."""
        return self._plan.rests()

    def wake(self, rest: Rest) -> None:
        """Pass it on to the plan."""
        self._plan.wake(rest)

    @property
    def waits(self) -> bool:
        """Whether the plan waits for engines."""
        return self._plan.waits

    @property
    def question(self) -> Question | None:
        """The question of the plan."""
        return self._plan.question

    def verdict(self) -> str:
        """Return the verdict of the plan."""
        return self._plan.verdict()

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return the reports of the plan."""
        return self._plan.reports()

    def facts(self) -> dict[str, Any]:
        """Return the facts of the plan."""
        return self._plan.facts()


def walkover(scheduled: ScheduledGame, winner: int) -> PlayedGame:
    """Return the result that an encounter's plan learns for a game that is not played."""
    outcome = Outcome(winner, None, "", Termination.WITHDRAWN, "the opponent is retired", 0)
    return PlayedGame(scheduled, outcome)


def _as_planned(scheduled: ScheduledGame) -> ScheduledGame:
    """Return the game under the id by which the plan knows it."""
    return replace(scheduled, id=scheduled_id(scheduled.id))


class Rest(NamedTuple):
    """A rest of an engine. `number` tells it apart from all other rests."""

    name: str
    seconds: float
    number: int
