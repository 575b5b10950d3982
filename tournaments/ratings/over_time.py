"""Ratings that may move: how strong engines were in each period of a long event.

The model is whole-history rating: Coulom, "Whole-History Rating: A Bayesian Rating System for
Players of Time-Varying Strength", *Computers and Games* 2008. On each day it is the model of
Bradley and Terry with an advantage of playing first; between two days a rating moves at random,
with a variance that grows with the days between. The growth is estimated from the games. Every game
affects every rating, so later games make earlier ratings more certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.bradley_terry import PRIOR
from oddly.tournaments.ratings.dated_counts import DatedCounts, DatedGame, beginning
from oddly.tournaments.ratings.drift import Drift, integrated, most_likely
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.random_walk import DenseWalk, Fitted, WalkPosterior
from oddly.tournaments.ratings.sparse import has_scipy, needs_scipy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.tournaments.ratings.sparse_walk import SparseWalk

FEW = 400
"""Up to this number of engines' states, dense matrices are used, which are exact."""

MAX_DENSE = 2000
"""The same without SciPy."""

USUAL_DRIFT = 10.0
"""The drift, in Elo a day, with which the search begins."""


@dataclass(frozen=True, slots=True)
class PeriodRating:
    """An engine's rating in the period that begins on a day, in Elo, with its 95 % bar.

    It is the mean of the ratings on the days on which the engine played. `moved` is its difference
    from the engine's first rating, with its own error bar.
    """

    begins: date
    games: int
    elo: float
    error_95: float
    moved: float
    moved_error_95: float


@dataclass(frozen=True, slots=True)
class EngineHistory:
    """An engine's ratings in the periods in which it played, at least one.

    `group` is the same number for engines that games connect; 0 is the largest group.
    """

    name: str
    periods: tuple[PeriodRating, ...]
    group: int


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """Ratings over time, the highest last rating first, the advantage of opening, and the drift.

    All are in Elo. The mean of the last ratings is 0, in each group of engines that games connect.
    """

    engines: tuple[EngineHistory, ...]
    advantage: float
    drift: Drift


def rate_over_time(
    games: Iterable[DatedGame] | DatedCounts, period: str = "day", drift: float | None = None
) -> RatingHistory:
    """Return the most probable ratings in each period, one of PERIODS.

    `drift` is the standard deviation, in Elo, of a rating's change in a day; None estimates it from
    the games. Memory depends on the number of different pairs and periods, not on the number of
    games.

    Raises ValueError without a game or with a drift not above 0, ArithmeticError if no peak of the
    posterior is found, and MissingExtraError without SciPy if engines played on more than MAX_DENSE
    days together.
    """
    if drift is not None and not drift > 0:
        raise ValueError(f"the drift must be above 0 Elo, not {drift}")
    counts = games if isinstance(games, DatedCounts) else DatedCounts(games)
    results = counts.results()
    if not len(results.games):
        raise ValueError("there are no games to rate")
    posterior = WalkPosterior(results, PRIOR, partial(beginning, period))
    del results
    fitted, found = _fit(posterior, drift)
    return RatingHistory(
        tuple(_histories(counts.names, posterior, fitted)), ELO_PER_NAT * fitted.advantage, found
    )


def _fit(posterior: WalkPosterior, drift: float | None) -> tuple[Fitted, Drift]:
    is_dense = posterior.engines <= (FEW if has_scipy() else MAX_DENSE)
    walk: DenseWalk | SparseWalk
    if is_dense:
        walk = DenseWalk(posterior)
    else:
        needs_scipy(f"ratings --over-time of more than {MAX_DENSE} ratings")
        from oddly.tournaments.ratings.sparse_walk import SparseWalk

        walk = SparseWalk(posterior)
    walk.climb(USUAL_DRIFT if drift is None else drift)
    walk.allow_for_draws()
    if drift is not None or not len(posterior.before):
        return walk.fitted(drift or USUAL_DRIFT), Drift(drift)
    return integrated(walk) if isinstance(walk, DenseWalk) else most_likely(walk)


def _histories(
    names: tuple[str, ...], posterior: WalkPosterior, fitted: Fitted
) -> list[EngineHistory]:
    """Return the engines, the largest group first, and in each the highest last rating first."""
    table = zip(
        [date.fromordinal(day) for day in posterior.begins.tolist()],
        posterior.games_of_ratings.tolist(),
        (ELO_PER_NAT * fitted.elo).tolist(),
        (ELO_PER_NAT * QUANTILE_975 * np.sqrt(fitted.variance)).tolist(),
        (ELO_PER_NAT * fitted.moved).tolist(),
        (ELO_PER_NAT * QUANTILE_975 * np.sqrt(np.maximum(0.0, fitted.moved_variance))).tolist(),
        strict=True,
    )
    ends = (posterior.last_rating + 1 - posterior.first_rating).tolist()
    engines = []
    for name, number, group in zip(names, ends, posterior.groups.tolist(), strict=True):
        periods = tuple(PeriodRating(*next(table)) for _ in range(number))
        engines.append(EngineHistory(name, periods, group))
    engines.sort(key=lambda each: (each.group, -round(each.periods[-1].elo, 6), each.name))
    return engines
