"""What every format of a tournament is to whoever plays its games: a plan that learns results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.game import Game
    from referee.outcome import Outcome
    from tournaments.formats.report import FormatReport
    from tournaments.results.sequential import Question
    from tournaments.schedule import ScheduledGame


class Plan(ABC):
    """The games of a tournament, as far as the results so far decide them.

    A plan is deterministic: which games it gives follows from its settings and the results of the
    games it gave before, never from a clock or a place in memory. A void game decides nothing:
    what depends on it waits until another run has played it again.
    """

    @property
    @abstractmethod
    def total(self) -> int | None:
        """How many games there are in all; None if that depends on results."""

    @abstractmethod
    def next(self) -> ScheduledGame | None:
        """A game that may begin now, each one once; None if results are missing, or at the end.

        If it gives None while no game is running, the tournament is over.
        """

    @abstractmethod
    def learn(self, scheduled: ScheduledGame, outcome: Outcome) -> None:
        """A game that `next` gave has ended. It is told once of each, in any order."""

    @property
    def question(self) -> Question | None:
        """What the games are played to test, if anything."""
        return None

    def verdict(self) -> str:
        """Why there are no more games, or what is still missing; may be empty."""
        return ""

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return what the format reports of each game, by title; None before there is anything."""
        return {}

    def facts(self) -> dict[str, Any]:
        """The same for JSON."""
        return {}


class FixedPlan(Plan):
    """Games that were all known from the start, whatever their results."""

    def __init__(self, schedule: Sequence[ScheduledGame]) -> None:
        self._schedule = schedule
        self._waiting = iter(schedule)

    @property
    def total(self) -> int:
        """All of them."""
        return len(self._schedule)

    def next(self) -> ScheduledGame | None:
        """The games in their order."""
        return next(self._waiting, None)

    def learn(self, scheduled: ScheduledGame, outcome: Outcome) -> None:
        """Nothing follows from it."""


class ResumedPlan(Plan):
    """A plan some of whose games are known from earlier runs: those are learnt and not given.

    A known game is learnt at the moment in which the plan would have had it played, so that the
    plan comes to the same games as if there had been one run.
    """

    def __init__(self, plan: Plan, known: Mapping[str, Outcome]) -> None:
        self._plan = plan
        self._known = known
        self._ahead: deque[ScheduledGame] = deque()

    @property
    def total(self) -> int | None:
        """Known games included."""
        return self._plan.total

    @property
    def is_done(self) -> bool:
        """Whether no game is left, if none is running."""
        if not self._ahead and (scheduled := self._next()) is not None:
            self._ahead.append(scheduled)
        return not self._ahead

    def next(self) -> ScheduledGame | None:
        """The next game whose result is not known."""
        return self._ahead.popleft() if self._ahead else self._next()

    def _next(self) -> ScheduledGame | None:
        while (scheduled := self._plan.next()) is not None:
            outcome = self._known.get(scheduled.id)
            if outcome is None:
                return scheduled
            self._plan.learn(scheduled, outcome)
        return None

    def learn(self, scheduled: ScheduledGame, outcome: Outcome) -> None:
        """Tell the plan."""
        self._plan.learn(scheduled, outcome)

    @property
    def question(self) -> Question | None:
        """That of the plan."""
        return self._plan.question

    def verdict(self) -> str:
        """What the plan says."""
        return self._plan.verdict()

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return the reports of the plan."""
        return self._plan.reports()

    def facts(self) -> dict[str, Any]:
        """What the plan tells."""
        return self._plan.facts()


class JointPlan(Plan):
    """A plan for each game (as Yodd is one). They take turns, and all games are numbered."""

    def __init__(self, plans: Mapping[Game, Plan]) -> None:
        self._plans = dict(plans)
        self._turns = deque(self._plans.values())
        self._given = 0

    @property
    def total(self) -> int | None:
        """The sum, if all are known."""
        totals = [plan.total for plan in self._plans.values()]
        return None if None in totals else sum(total or 0 for total in totals)

    def next(self) -> ScheduledGame | None:
        """A game of the plan whose turn it is, or of the next that has one."""
        for _ in self._plans:
            plan = self._turns[0]
            self._turns.rotate(-1)
            if (scheduled := plan.next()) is not None:
                self._given += 1
                return replace(scheduled, number=self._given)
        return None

    def learn(self, scheduled: ScheduledGame, outcome: Outcome) -> None:
        """Tell the plan of that game."""
        self._plans[scheduled.game].learn(scheduled, outcome)

    @property
    def question(self) -> Question | None:
        """That of all plans, which have the same settings."""
        return next((plan.question for plan in self._plans.values()), None)

    def verdict(self) -> str:
        """What each plan says, after the name of its game if there are several."""
        said = {game: words for game, plan in self._plans.items() if (words := plan.verdict())}
        if len(self._plans) == 1:
            return "".join(said.values())
        return "\n".join(f"{game}: {words}" for game, words in said.items())

    def reports(self) -> Mapping[str, FormatReport | None]:
        """Return the reports of all plans."""
        reports: dict[str, FormatReport | None] = {}
        for plan in self._plans.values():
            reports |= plan.reports()
        return reports

    def facts(self) -> dict[str, Any]:
        """By the names of the games."""
        return {str(game): facts for game, plan in self._plans.items() if (facts := plan.facts())}
