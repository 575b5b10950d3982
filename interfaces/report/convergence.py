"""How ratings settled while an event went on."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tournaments.results.result_counts import ResultCounts
from tournaments.results.strength import elo_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.results.played_game import PlayedGame

MAX_STEPS = 40
"""The greatest number of times that the ratings are computed anew."""

Curve = list[tuple[int, float]]
"""A quantity after some number of games or pairs."""


def rating_curves(names: Sequence[str], played: Sequence[PlayedGame]) -> dict[str, Curve]:
    """Return each engine's Elo after some of the games, from its first game on."""
    curves: dict[str, Curve] = {name: [] for name in names}
    counts = ResultCounts()
    met: set[str] = set()
    for before, now in pairwise([0, *_steps(len(played))]):
        for game in played[before:now]:
            counts.add(game)
            met |= {game.scheduled.first, game.scheduled.second}
        ratings = elo_of(names, counts.rows)
        for name in met:
            curves[name].append((now, ratings[name]))
    return curves


def _steps(games: int) -> list[int]:
    """Return at most MAX_STEPS numbers of games, evenly apart, the last one all of them."""
    steps = min(games, MAX_STEPS)
    return [games * step // steps for step in range(1, steps + 1)]
