"""Who is ahead along a game, by the engine's evaluation, and how often that changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from games.colour import Colour
from games.drop_level import DropPosition
from tournaments.ratings.normal import QUANTILE_975
from tournaments.study.document import Chart, Column, Line, Table
from tournaments.study.figure import Bar, Figure, bootstrap, mean, ratio_of_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tournaments.study.replaying import Replayed
    from tournaments.study.searching import Evaluator


@dataclass(frozen=True, slots=True)
class Course:
    """One game: before each turn Black's expected points, and the mover's and what a pass is worth.

    `nothing` has None where a pass is illegal.
    """

    black: tuple[float, ...]
    mover: tuple[float, ...]
    nothing: tuple[float | None, ...]


def course_of(
    replayed: Replayed, evaluator: Evaluator, seed: int, step: Callable[[], None]
) -> Course:
    """Evaluate every position of the game; `step` is called after each."""
    black, mover, nothing = [], [], []
    for number, position in enumerate(replayed.positions):
        value = evaluator.for_black(DropPosition(position), seed + number)
        black.append(value)
        mover.append(value if position.to_move is Colour.BLACK else 1 - value)
        nothing.append(evaluator.doing_nothing(position, seed + number))
        step()
    return Course(tuple(black), tuple(mover), tuple(nothing))


def changes(values: Sequence[float], margin: float = 0.0) -> int:
    """How often the lead goes from one side to the other.

    Somebody leads by more than `margin` beyond one half; between, the lead stays whose it was.
    """
    leads = [value > 0.5 for value in values if abs(value - 0.5) > margin]
    return sum(before != after for before, after in pairwise(leads))


def change_share(courses: Sequence[Course], margin: float = 0.0) -> Figure | None:
    """Changes of the lead to turns."""
    pairs = [(changes(course.black, margin), len(course.black) - 1) for course in courses]
    return bootstrap(pairs, ratio_of_sums)


def noise(simulations: int) -> float:
    """Half the 95 % interval of a value near one half, were simulations independent games."""
    return QUANTILE_975 * math.sqrt(0.25 / simulations)


def lead_table(courses: Sequence[Course], simulations: int) -> Table:
    """How often the lead changes, and how often a turn is worth more than a pass."""
    margin = noise(simulations)
    sure = [(changes(course.black, margin), 1) for course in courses]
    hot = [
        (
            sum(n is not None and m > n for m, n in zip(c.mover, c.nothing, strict=True)),
            sum(n is not None for n in c.nothing),
        )
        for c in courses
    ]
    rows: list[tuple[str, int, Figure | None]] = [
        ("turns on which the lead changed", len(courses), change_share(courses)),
        (
            f"the same, of leads beyond {50 + 100 * margin:.0f} %",
            len(courses),
            change_share(courses, margin),
        ),
    ]
    return Table(
        "leads",
        "Lead changes",
        (Column("what"), Column("games"), Column("share", is_share=True)),
        [
            *rows,
            *(
                [("turns better than a pass", len(courses), bootstrap(hot, ratio_of_sums))]
                if any(below for _, below in hot)
                else []
            ),
        ],
        f"In a game the lead beyond {50 + 100 * margin:.0f} % changed "
        + _times(mean([float(number) for number, _ in sure]))
        + f". A lead is Black's expected points, by a search of {simulations} simulations, above "
        "or below one half; so close to it, chance alone changes leads.",
    )


def _times(figure: Figure | None) -> str:
    if figure is None:
        return "an unknown number of times"
    bar = "" if figure.high is None else f" ± {figure.high - figure.value:.1f}"
    return f"{figure.value:.1f}{bar} times"


def course_chart(courses: Sequence[Course], simulations: int) -> Chart:
    """The first game's values before each turn, of the player to move; and those of a pass."""
    course = courses[0]
    half = noise(simulations)

    def points(values: Sequence[float | None]) -> list[tuple[float, Figure]]:
        return [
            (float(turn), Figure(v, max(v - half, 0), min(v + half, 1), Bar.WILSON, simulations))
            for turn, v in enumerate(values, start=1)
            if v is not None
        ]

    lines = [Line("Black's expected points", points(course.black))]
    if any(value is not None for value in course.nothing):
        black = [
            None if n is None else n if m == b else 1 - n
            for n, m, b in zip(course.nothing, course.mover, course.black, strict=True)
        ]
        lines.append(Line("after a pass", points(black)))
    return Chart(
        "lead_by_turn",
        "Who leads in one game",
        "turn",
        "Black's expected points",
        lines,
        is_share=True,
        note=f"The bands are what chance does to {simulations} simulations of a value near 50 %.",
    )
