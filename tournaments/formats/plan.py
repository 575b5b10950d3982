"""The base of all plans: which games come next, by the results of those before."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tournaments.results.played_game import PlayedGame
from tournaments.schedule import replayed_id, scheduled_id

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from games.game import Game
    from tournaments.formats.report import FormatReport
    from tournaments.results.sequential import Question
    from tournaments.schedule import ScheduledGame


class Plan(ABC):
    """The games of a tournament, as far as the results so far decide them.

    A plan is deterministic: the games that it gives follow from its settings and the results of the
    games before, never from a clock or a place in memory. A void game decides nothing: what depends
    on it waits until another run has played it again.
    """

    @property
    @abstractmethod
    def total(self) -> int | None:
        """The number of games in all; None if that depends on results."""

    @abstractmethod
    def next(self) -> ScheduledGame | None:
        """Return a game that may begin now; None if results are missing, or at the end.

        Each game is given once. If there is none while no game is running, the tournament is over.
        """

    @abstractmethod
    def learn(self, played: PlayedGame) -> None:
        """Take note that a game from `next` has ended: once for each game, in any order."""

    def preparation(self) -> Callable[[], None] | None:
        """Return a calculation that `next` needs and that takes long; None if there is none.

        It may run in a thread, while other games go on and end. Without it `next` does the same.
        """
        return None

    @property
    def question(self) -> Question | None:
        """The question that the games are played to answer, if there is one."""
        return None

    def verdict(self) -> str:
        """Return why there are no more games, or what is missing; may be empty."""
        return ""

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return what the format reports of each game, by title; None before there is anything."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Return the same as plain values for JSON."""
        return {}


class FixedPlan(Plan):
    """Games that do not depend on results; `total` of them, if it does not go without saying."""

    def __init__(self, schedule: Iterable[ScheduledGame], total: int | None = None) -> None:
        if total is None:
            schedule = list(schedule)
        self._total = len(schedule) if isinstance(schedule, list) else total
        self._waiting = iter(schedule)

    @property
    def total(self) -> int | None:
        """The number of all games."""
        return self._total

    def next(self) -> ScheduledGame | None:
        """Return the games in their order."""
        return next(self._waiting, None)

    def learn(self, played: PlayedGame) -> None:
        """Do nothing: no game depends on it."""


class ResumedPlan(Plan):
    """A plan that takes the results of earlier runs as known and gives only the other games.

    A known result is learnt at the moment in which its game would have been played, so that the
    plan comes to the same games as in a single run. A game in whose place one of the `annulled`
    was played is played again, under an id of its own.
    """

    def __init__(
        self, plan: Plan, known: Mapping[str, PlayedGame], annulled: Container[str] = ()
    ) -> None:
        self._plan = plan
        self._known = {scheduled_id(identity): game for identity, game in known.items()}
        self._annulled = annulled
        self._ahead: deque[ScheduledGame] = deque()

    @property
    def total(self) -> int | None:
        """The number of games in all, known ones included."""
        return self._plan.total

    def preparation(self) -> Callable[[], None] | None:
        """Return the calculation that the plan needs, unless a game is known already."""
        return None if self._ahead else self._plan.preparation()

    @property
    def is_done(self) -> bool:
        """Whether no game is left, if none is running."""
        if not self._ahead and (scheduled := self._next()) is not None:
            self._ahead.append(scheduled)
        return not self._ahead

    def next(self) -> ScheduledGame | None:
        """Return the next game whose result is not known."""
        return self._ahead.popleft() if self._ahead else self._next()

    def _next(self) -> ScheduledGame | None:
        while (scheduled := self._plan.next()) is not None:
            known = self._known.get(scheduled.id)
            if known is None:
                return replace(scheduled, id=replayed_id(scheduled.id, self._annulled))
            self._plan.learn(PlayedGame(scheduled, known.outcome, known.digest))
        return None

    def learn(self, played: PlayedGame) -> None:
        """Pass the result on to the plan."""
        own = replace(played.scheduled, id=scheduled_id(played.scheduled.id))
        self._plan.learn(replace(played, scheduled=own))

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


class JointPlan(Plan):
    """One plan for each game, which take turns; all games together are numbered."""

    def __init__(self, plans: Mapping[Game, Plan]) -> None:
        self._plans = dict(plans)
        self._turns = deque(self._plans.values())
        self._given = 0

    @property
    def total(self) -> int | None:
        """The sum over all plans; None if one of them does not know."""
        totals = [plan.total for plan in self._plans.values()]
        return None if None in totals else sum(total or 0 for total in totals)

    def preparation(self) -> Callable[[], None] | None:
        """Return the calculation that one of the plans needs."""
        needed = (plan.preparation() for plan in self._plans.values())
        return next((each for each in needed if each is not None), None)

    def next(self) -> ScheduledGame | None:
        """Return a game of the plan whose turn it is, or of the next plan that has one."""
        for _ in self._plans:
            plan = self._turns[0]
            self._turns.rotate(-1)
            if (scheduled := plan.next()) is not None:
                self._given += 1
                return replace(scheduled, number=self._given)
        return None

    def learn(self, played: PlayedGame) -> None:
        """Pass the result on to the plan of that game."""
        self._plans[played.scheduled.game].learn(played)

    @property
    def question(self) -> Question | None:
        """The question of all plans, which have the same settings."""
        return next((plan.question for plan in self._plans.values()), None)

    def verdict(self) -> str:
        """Return the verdict of each plan, after the name of its game if there are several."""
        said = {game: plan.verdict() for game, plan in self._plans.items()}
        verdicts = {game: verdict for game, verdict in said.items() if verdict}
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
