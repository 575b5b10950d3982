"""Plans made of other plans: for an event with several games, and for a run that is resumed."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.plan import PLAYERS, Plan
from oddly.tournaments.results.schedule import replayed_id, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.games import Game
    from oddly.tournaments.formats.format import Contest, Event, Format
    from oddly.tournaments.formats.plan import FormatReport, Rest
    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame
    from oddly.tournaments.results.sequential import Question


class JointPlan(Plan):
    """One plan for each game; the plans take turns, and their games share one numbering."""

    def __init__(self, plans: Mapping[Game, Plan]) -> None:
        self._plans = dict(plans)
        self._turns = deque(self._plans.values())
        self._given = 0

    @classmethod
    def of(cls, event: Event, make: Callable[[Contest], Plan]) -> JointPlan:
        """Return the plans that `make` returns for the contests of an event."""
        return cls({game: make(contest) for game, contest in event.contests().items()})

    @property
    def total(self) -> int | None:
        """The sum over all plans; None if one is unknown."""
        totals = [plan.total for plan in self._plans.values()]
        return None if None in totals else sum(total or 0 for total in totals)

    def preparation(self) -> Callable[[], None] | None:
        """Return the calculation that one of the plans needs."""
        needed = (plan.preparation() for plan in self._plans.values())
        return next((each for each in needed if each is not None), None)

    def next(self) -> ScheduledGame | None:
        """Return a game of the plan whose turn it is, or of the next plan that has one."""
        return self._next(lambda plan: plan.next())

    def look_ahead(self) -> ScheduledGame | None:
        """Return what `next` does, but begin no round."""
        return self._next(lambda plan: plan.look_ahead())

    @property
    def goes_on(self) -> bool:
        """Whether one of the plans has a round left to begin."""
        return any(plan.goes_on for plan in self._plans.values())

    def _next(self, give: Callable[[Plan], ScheduledGame | None]) -> ScheduledGame | None:
        for _ in self._plans:
            plan = self._turns[0]
            self._turns.rotate(-1)
            if (scheduled := give(plan)) is not None:
                if scheduled.number:
                    # It was put off.
                    return scheduled
                self._given += 1
                return replace(scheduled, number=self._given)
        return None

    def learn(self, played: PlayedGame) -> None:
        """Pass the result on to the plan of that game."""
        self._plans[played.scheduled.game].learn(played)

    def learn_earlier(self, played: PlayedGame) -> None:
        """Pass the earlier result on to the plan of that game."""
        self._plans[played.scheduled.game].learn_earlier(played)

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether the plan of that game gave it up."""
        return self._plans[scheduled.game].gave_up(scheduled)

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Pass it on to the plan of that game."""
        self._plans[scheduled.game].drop(scheduled, winner)

    @property
    def fewest(self) -> int:
        """The fewest engines with which one of the plans goes on."""
        return min((plan.fewest for plan in self._plans.values()), default=PLAYERS)

    def miss(self, scheduled: ScheduledGame, absent: Sequence[str]) -> None:
        """Pass it on to the plan of that game."""
        self._plans[scheduled.game].miss(scheduled, absent)

    def pardon(self, name: str) -> None:
        """Pass it on to all plans."""
        for plan in self._plans.values():
            plan.pardon(name)

    def rests(self) -> Sequence[Rest]:
        """Return the rests of all plans."""
        return [rest for plan in self._plans.values() for rest in plan.rests()]

    def wake(self, rest: Rest) -> None:
        """Pass it on to all plans."""
        for plan in self._plans.values():
            plan.wake(rest)

    @property
    def waits(self) -> bool:
        """Whether one of the plans waits for engines."""
        return any(plan.waits for plan in self._plans.values())

    @property
    def question(self) -> Question | None:
        """The question of all plans, which have the same settings."""
        return next((plan.question for plan in self._plans.values()), None)

    def verdict(self) -> str:
        """Return the verdict of each plan, after the name of its game if there are several."""
        verdicts = {game: said for game, plan in self._plans.items() if (said := plan.verdict())}
        if len(self._plans) == 1:
            return "".join(verdicts.values())
        return "\n".join(f"{game}: {verdict}" for game, verdict in verdicts.items())

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return the reports of all plans."""
        reports: dict[str, FormatReport | None] = {}
        for plan in self._plans.values():
            reports |= plan.reports()
        return reports

    def facts(self) -> dict[str, Any]:
        """Return the facts of each plan by the name of its game."""
        return {str(game): facts for game, plan in self._plans.items() if (facts := plan.facts())}


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


def plan_without_ledger(format_: Format, event: Event) -> ResumedPlan:
    """Return the plan of a run that knows no earlier games."""
    return ResumedPlan(format_.plan(event), {}, (), event.retired, event.engines)


def _as_planned(scheduled: ScheduledGame) -> ScheduledGame:
    """Return the game under the id by which the plan knows it."""
    return replace(scheduled, id=scheduled_id(scheduled.id))
