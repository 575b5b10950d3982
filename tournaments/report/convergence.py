"""How ratings settled while an event went on, and how a sequential test did."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from tournaments.ratings.pairs import PairCounts
from tournaments.ratings.sprt import pair_ratio
from tournaments.report.chapter import rated, row_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.ratings.results import Row
    from tournaments.ratings.sprt import Hypotheses
    from tournaments.standings import PlayedGame

MOST_STEPS = 40
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
        ratings, _ = rated(names, counts)
        for name in met & ratings.keys():
            courses[name].append((now, ratings[name].elo))
    return courses


def course_of_test(
    one: str, other: str, played: Sequence[PlayedGame], hypotheses: Hypotheses
) -> Course:
    """The log-likelihood ratio, after each pair, of `one` being elo1 above `other` to elo0.

    Two games of one opening make a pair, either engine having opened one of them; they are paired
    as they come.
    """
    waiting: dict[tuple[str, ...], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    counts = PairCounts()
    course: Course = []
    for game in played:
        seats = game.scheduled.first, game.scheduled.second
        if set(seats) != {one, other}:
            continue
        seat = seats.index(one)
        legs = waiting[game.scheduled.opening]
        legs[seat].append(game.points[seat])
        if legs[1 - seat]:
            counts = counts.plus(legs[0].pop(0) + legs[1].pop(0))
            course.append((counts.pairs, pair_ratio(counts, hypotheses)))
    return course


def _steps(games: int) -> list[int]:
    """At most MOST_STEPS numbers of games, evenly apart, the last one all of them."""
    steps = min(games, MOST_STEPS)
    return [games * step // steps for step in range(1, steps + 1)]
