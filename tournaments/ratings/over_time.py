"""Ratings that may move: how strong engines were in each period of a long event, and how much.

The model is whole-history rating: Coulom, "Whole-History Rating: A Bayesian Rating System for
Players of Time-Varying Strength", *Computers and Games* 2008. On each day it is the model of
Bradley and Terry with an advantage of playing first; between two days a rating moves at random,
with a variance that grows with the days between. The growth, the *drift*, is estimated from the
games. Every game affects every rating, so later games make earlier ratings more certain.

The likelihood of a drift has all ratings integrated out, see `random_walk.py` and
`sparse_walk.py`. The estimate is the drift of greatest likelihood; its 95 % range is where the
logarithm is less than 1.92 below (Wilks, *Annals of Mathematical Statistics* 9, 1938).

Ratings and error bars are means over all drifts, weighted by posterior probability, so bars allow
for what the games leave open. The prior of the drift is a half-Cauchy distribution, as Gelman has
it in "Prior distributions for variance parameters in hierarchical models", *Bayesian Analysis* 1
(2006). It is wide enough that engines that move fast do not get bars that are too short from few
games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.bradley_terry import PRIOR
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.ordered_pairs import (
    LARGEST_DRIFT,
    SMALLEST_DRIFT,
    DatedCounts,
    DatedGame,
    beginning,
)
from oddly.tournaments.ratings.posterior import FALL, check_prior
from oddly.tournaments.ratings.random_walk import DenseWalk, Fitted, WalkPosterior
from oddly.tournaments.ratings.sparse import has_scipy, needs_scipy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.tournaments.ratings.ordered_pairs import Array
    from oddly.tournaments.ratings.sparse_walk import SparseWalk


LOWEST, HIGHEST = 0.1, 1000.0
"""The range of the estimate, in Elo a day; the lowest drift stands for none."""

SCALE = 200.0
"""The scale of the prior, in Elo a day."""

GRID = np.geomspace(LOWEST, HIGHEST, 25)
"""The drifts that are tried with few states."""

START = 12
"""The place in the grid where the search begins, at 10 Elo."""

UNLIKELY = 8.0
"""Drifts whose log-likelihood is this far below the greatest are ignored."""

FINE = np.geomspace(LOWEST, HIGHEST, 4001)
"""The drifts for which the likelihood is interpolated."""

STRIDE = math.log(4.0)
CLOSE = 0.02
"""The precision at which the search by slopes ends, as a share of the drift."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The standard deviation, in Elo, by which ratings move in a day, with its 95 % range.

    A drift that was given has no range. `elo` is None if no engine played in two periods.
    """

    elo: float | None
    low: float | None = None
    high: float | None = None


def integrated(walk: DenseWalk) -> tuple[Fitted, Drift]:
    """Return the ratings, averaged over all drifts, and the drift, with few states."""
    likelihoods: dict[int, float] = {}
    for way in (range(START, len(GRID)), range(START - 1, -1, -1)):
        for place in way:
            likelihoods[place] = walk.likelihood(float(GRID[place]))
            if likelihoods[place] < max(likelihoods.values()) - UNLIKELY:
                break
    places = sorted(likelihoods)
    drifts = GRID[places]
    logarithms = np.array([likelihoods[place] for place in places])
    curve = _interpolated(np.log(drifts), logarithms)
    chances = _posterior(drifts, logarithms)
    counted = np.flatnonzero(chances > chances.max() / 1000)
    fits = [walk.fitted(float(drifts[place])) for place in counted]
    return _mean(fits, chances[counted] / chances[counted].sum()), _estimate(curve)


def most_likely(walk: SparseWalk) -> tuple[Fitted, Drift]:
    """Return the ratings at the mean of the drift, and the drift, with many states.

    Many states leave little doubt about the drift.
    """
    curve = _curve_of_slopes(walk)
    chances = _posterior(FINE, curve)
    return walk.fitted(float(np.sum(chances * FINE))), _estimate(curve)


def _posterior(drifts: Array, logarithms: Array) -> Array:
    """Return the posterior probabilities of drifts that are equally spaced by logarithm."""
    chances = np.exp(logarithms - logarithms.max()) * drifts / (1 + (drifts / SCALE) ** 2)
    share: Array = chances / chances.sum()
    return share


def _interpolated(places: Array, logarithms: Array) -> Array:
    """Return the log-likelihoods at FINE by cubic interpolation; outside, minus infinity."""
    fine = np.log(FINE)
    slopes = np.gradient(logarithms, places) if len(places) > 1 else np.zeros(1)
    k = np.clip(np.searchsorted(places, fine) - 1, 0, max(0, len(places) - 2))
    width = np.diff(places)[k]
    share = np.clip((fine - places[k]) / width, 0.0, 1.0)
    # Cubic, by Hermite.
    rise = logarithms[k + 1] - logarithms[k]
    one, other = slopes[k] * width - rise, rise - slopes[k + 1] * width
    found = logarithms[k] + share * rise
    found += share * (1 - share) * ((1 - share) * one + share * other)
    outside = (fine < places[0] - 1e-9) | (fine > places[-1] + 1e-9)
    result: Array = np.where(outside, -np.inf, found)
    return result


def _curve_of_slopes(walk: SparseWalk) -> Array:
    """Return the log-likelihoods at FINE, from slopes around the greatest."""
    from scipy.optimize import brentq

    slopes: dict[float, float] = {}
    least, most = math.log(LOWEST), math.log(HIGHEST)

    def slope(place: float) -> float:
        if place not in slopes:
            slopes[place] = walk.slope(math.exp(place))
        return slopes[place]

    low = high = math.log(GRID[START])
    while slope(low) < 0 and low > least:
        low = max(least, low - STRIDE)
    while slope(high) > 0 and high < most:
        high = min(most, high + STRIDE)
    low = max((place for place in slopes if slopes[place] >= 0), default=low)
    high = min((place for place in slopes if slopes[place] <= 0), default=high)
    if slope(low) > 0 > slope(high):
        brentq(slope, low, high, xtol=CLOSE, disp=False)
    places = np.array(sorted(slopes))
    fine = np.log(FINE)
    found = np.interp(fine, places, [slopes[place] for place in places.tolist()])
    steps = np.append(0.0, np.cumsum((found[1:] + found[:-1]) / 2 * np.diff(fine)))
    curve: Array = steps - steps.max()
    return curve


def _estimate(curve: Array) -> Drift:
    """Return the most likely drift, and the range of the likely ones."""
    likely = np.flatnonzero(curve > curve.max() - FALL)
    best, low, high = int(np.argmax(curve)), int(likely[0]), int(likely[-1])
    return Drift(*(0.0 if place == 0 else float(FINE[place]) for place in (best, low, high)))


def _mean(fits: list[Fitted], shares: Array) -> Fitted:
    """Return the mean of fits; its variances include the differences between them."""

    def mean(values: list[Array]) -> Array:
        total: Array = np.sum([s * v for s, v in zip(shares, values, strict=True)], axis=0)
        return total

    elo, moved = mean([fit.elo for fit in fits]), mean([fit.moved for fit in fits])
    return Fitted(
        elo,
        mean([fit.variance + (fit.elo - elo) ** 2 for fit in fits]),
        moved,
        mean([fit.moved_variance + (fit.moved - moved) ** 2 for fit in fits]),
        float(np.sum(shares * [fit.advantage for fit in fits])),
    )


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
    games: Iterable[DatedGame] | DatedCounts,
    period: str = "day",
    drift: float | None = None,
    prior: float = PRIOR,
) -> RatingHistory:
    """Return the most probable ratings in each period, one of PERIODS.

    `drift` is the standard deviation, in Elo, of a rating's change in a day, 0.01 to 1000; None
    estimates it from the games. `prior` is the number of virtual draws of each engine. Memory
    depends on the number of different pairs and periods, not on the number of games.

    Raises ValueError without a game, with another drift or for a prior that `rate` refuses,
    ArithmeticError if no peak of the posterior is found, and MissingExtraError without SciPy if
    engines played on more than MAX_DENSE days together.
    """
    check_prior(prior)
    if drift is not None and not SMALLEST_DRIFT <= drift <= LARGEST_DRIFT:
        raise ValueError(
            f"the drift is from {SMALLEST_DRIFT:g} to {LARGEST_DRIFT:g} Elo a day, not {drift}"
        )
    counts = games if isinstance(games, DatedCounts) else DatedCounts(games)
    results = counts.results()
    if not len(results.games):
        raise ValueError("there are no games to rate")
    posterior = WalkPosterior(results, prior, partial(beginning, period))
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
