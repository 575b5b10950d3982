"""The plan of an event with several games."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.plan import PLAYERS, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.games import Game
    from oddly.tournaments.formats.format import Contest, Event
    from oddly.tournaments.formats.format_report import FormatReport
    from oddly.tournaments.formats.plan import Rest
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
