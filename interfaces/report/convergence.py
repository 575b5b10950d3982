"""How ratings settled while an event went on."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from interfaces.report.chapter import elos
from tournaments.results.strength import row_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.ratings.results import Row
    from tournaments.results.standings import PlayedGame

MAX_STEPS = 40
"""How often the ratings are computed anew."""

Course = list[tuple[int, float]]
"""A quantity after so many games or pairs."""


def courses_of_ratings(names: Sequence[str], played: Sequence[PlayedGame]) -> dict[str, Course]:
    """Each engine's Elo after some of the games, from its first one on."""
    courses: dict[str, Course] = {name: [] for name in names}
    counts: Counter[Row] = Counter()
    for before, now in pairwise([0, *_steps(len(played))]):
        counts.update(map(row_of, played[before:now]))
        met = {name for first, second, _ in counts for name in (first, second)}
        ratings = elos(names, counts)
        for name in met:
            courses[name].append((now, ratings[name]))
    return courses


def _steps(games: int) -> list[int]:
    """At most MAX_STEPS numbers of games, evenly apart, the last one all of them."""
    steps = min(games, MAX_STEPS)
    return [games * step // steps for step in range(1, steps + 1)]
