"""The leader along a game, by the engine's evaluation, and how often the lead changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.drop_level import DropPosition
from oddly.games.turns import Pass
from oddly.study.document import Chart, Column, Line, StudyTable
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    bootstrap,
    mean,
    ratio_of_sums,
    share_by_game,
)
from oddly.tournaments.ratings.elo import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.study.replaying import ReplayedGame
    from oddly.study.searching import Evaluator


@dataclass(frozen=True, slots=True)
class EvaluatedGame:
    """One game with Black's expected points before each turn and at the end.

    `worth` is what each turn gained over a pass, for turns other than passes where a pass was
    legal. Both are evaluated with the opponent to move.
    """

    black: tuple[float, ...]
    worth: tuple[float, ...]

    @property
    def leads(self) -> tuple[float, ...]:
        """Black's expected points on each turn: the mean of those before and after it.

        A search takes the best of many actions, some of which only look good, and so overrates the
        player to move a little. In two positions in a row, each player is to move once.
        """
        return tuple((before + after) / 2 for before, after in pairwise(self.black))


def evaluate_game(
    replayed: ReplayedGame, evaluator: Evaluator, seed: int, step: Callable[[], None]
) -> EvaluatedGame:
    """Return a game with every position evaluated; call `step` after each turn."""
    positions = (*replayed.positions, replayed.last)
    black = [evaluator.for_black(DropPosition(positions[0]), seed)]
    worth = []
    for number, turn in enumerate(replayed.turns, start=1):
        before = positions[number - 1]
        after = evaluator.for_black(DropPosition(positions[number]), seed + number)
        black.append(after)
        if not isinstance(turn, Pass):
            nothing = evaluator.doing_nothing(before, seed + number)
            if nothing is not None:
                gained = after if before.to_move is Colour.BLACK else 1 - after
                worth.append(gained - nothing)
        step()
    return EvaluatedGame(tuple(black), tuple(worth))


def changes(leads: Sequence[float], margin: float = 0.0) -> int:
    """Return how often the lead goes from one side to the other.

    A side takes the lead by more than `margin` beyond one half; in between, nothing changes.
    """
    leaders = [lead > 0.5 for lead in leads if abs(lead - 0.5) > margin]
    return sum(before != after for before, after in pairwise(leaders))


def change_share(courses: Sequence[EvaluatedGame], margin: float = 0.0) -> Estimate | None:
    """Return the share of turns on which the lead changed, or None without games."""
    pairs = [(changes(course.leads, margin), len(course.leads)) for course in courses]
    return share_by_game(pairs)


def noise(simulations: int) -> float:
    """Return half the 95 % interval of a lead near one half, if simulations were independent."""
    return QUANTILE_975 * math.sqrt(0.25 / (2 * simulations))


def lead_table(courses: Sequence[EvaluatedGame], simulations: int) -> StudyTable:
    """Return how often the lead changes, and what turns gain over a pass."""
    margin = noise(simulations)
    clear = f"leads beyond {50 + 100 * margin:.1f} %"
    rows: list[tuple[str, int, Estimate | None]] = [
        ("turns on which the lead changed", len(courses), change_share(courses)),
        (f"the same, of {clear} alone", len(courses), change_share(courses, margin)),
    ]
    passes = [course.worth for course in courses if course.worth]
    if passes:
        better = [(float(sum(w > 0 for w in worth)), float(len(worth))) for worth in passes]
        sums = [(sum(worth), float(len(worth))) for worth in passes]
        rows += [
            ("turns better than a pass", len(passes), share_by_game(better)),
            ("worth of a turn beyond a pass", len(passes), bootstrap(sums, ratio_of_sums)),
        ]
    columns = (Column("what"), Column("games"), Column("share", is_share=True))
    times = mean([float(changes(course.leads, margin)) for course in courses])
    note = (
        f"A lead is Black's expected points above or below one half: the mean of searches of "
        f"{simulations} simulations before a turn and after it. So close to one half, chance alone "
        f"changes leads; the clear ones changed {_times(times)} in a game."
    )
    return StudyTable("leads", "Lead changes", columns, rows, note)


def _times(estimate: Estimate | None) -> str:
    if estimate is None:
        return "an unknown number of times"
    if estimate.high is None:
        return f"{estimate.value:.1f} times"
    return f"{estimate.value:.1f} ± {estimate.high - estimate.value:.1f} times"


def course_chart(courses: Sequence[EvaluatedGame], simulations: int) -> Chart:
    """Return who leads on each turn of the first game, as a chart."""
    half = noise(simulations)
    points = [
        (
            float(turn),
            Estimate(
                lead, max(lead - half, 0), min(lead + half, 1), IntervalMethod.WALD, 2 * simulations
            ),
        )
        for turn, lead in enumerate(courses[0].leads, start=1)
    ]
    return Chart(
        "lead_by_turn",
        "Who leads in one game",
        "turn",
        "Black's expected points",
        [Line("Black's expected points", points)],
        is_share=True,
    )
