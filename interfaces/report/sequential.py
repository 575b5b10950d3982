"""The sequential test of an event: which hypotheses, and how the ratio went pair by pair."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tournaments.ratings.pairs import PairCounts
from tournaments.ratings.sprt import SCALES, Hypotheses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from interfaces.report.convergence import Course
    from tournaments.results.standings import PlayedGame

LOGISTIC = "logistic"

USUAL = Hypotheses(0, 50)
"""What two engines are tested for whose event does not say."""


@dataclass(frozen=True, slots=True)
class Test:
    """Whether `one` is elo0 or elo1 above `other`."""

    __test__ = False

    one: str
    other: str
    hypotheses: Hypotheses
    scale: str = LOGISTIC

    def question(self) -> str:
        """For people."""
        low, high = (f"{elo:g}" for elo in (self.hypotheses.elo0, self.hypotheses.elo1))
        return f"Is {self.one} {high} (H1) or {low} (H0) {self.scale} Elo above {self.other}?"

    def verdict(self, course: Course) -> str:
        """Where the ratio first left its bounds, if it did."""
        for pairs, ratio in course:
            decision = self.hypotheses.decide(ratio)
            if decision != "continue":
                return f"{decision} is accepted after {_pairs(pairs)}."
        return f"No verdict after {_pairs(len(course))}."

    def course(self, played: Sequence[PlayedGame]) -> Course:
        """The log-likelihood ratio after each pair of games.

        Pairs are those of `pair_counts` in `tournaments.results.sequential`, as they complete.
        """
        waiting: dict[tuple[object, ...], tuple[list[float], list[float]]]
        waiting = defaultdict(lambda: ([], []))
        counts = PairCounts()
        course: Course = []
        for game in played:
            seats = game.scheduled.first, game.scheduled.second
            if set(seats) != {self.one, self.other}:
                continue
            seat = seats.index(self.one)
            scheduled = game.scheduled
            legs = waiting[scheduled.game, scheduled.round, scheduled.opening]
            legs[seat].append(game.points[seat])
            if legs[1 - seat]:
                counts = counts.plus(legs[0].pop(0) + legs[1].pop(0))
                course.append((counts.pairs, SCALES[self.scale](counts, self.hypotheses)))
        return course


def _pairs(number: int) -> str:
    return f"{number} pair{'' if number == 1 else 's'}"


def test_of(engines: Sequence[str], settings: Mapping[str, Any]) -> Test | None:
    """The test of an event of two engines, the first of which is tested; None if there are others.

    `settings` are those of the event's format; hypotheses that cannot be are passed over.
    """
    if len(engines) != 2:
        return None
    one, other = engines
    values = [settings.get(key) for key in ("elo0", "elo1", "alpha", "beta")]
    scale = settings.get("scale", LOGISTIC)
    if scale in SCALES and all(type(value) in (int, float) for value in values):
        try:
            return Test(one, other, Hypotheses(*map(float, values)), scale)  # type: ignore[arg-type]
        except ValueError:
            pass
    return Test(one, other, USUAL)
