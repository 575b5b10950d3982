"""The test of whether ratings fit the games, and the covariance if games are less than ideal.

The covariance A^-1 of ratings is right if games are independent and decided, and follow one number
for each engine. It becomes A^-1 B A^-1, the *sandwich* of White, "Maximum Likelihood Estimation of
Misspecified Models", Econometrica 50 (1982): A sums the contributions of the pairs of engines to
the information, and B the same contributions, each times a factor for how much its results vary:

- by its design effect, where openings repeat, see `clusters.py`;
- by 1 - draws / (4 sum p (1 - p)) over all games, since a draw varies less than a decided game.

If the ratings do not fit, each pair has an effect of its own, which adds to B. It helps the same
engine in both seats: it counts in full for the ratings, and for the advantage of playing first only
as far as one of the two had the first turn more often.

The test of fit is Pearson's: for each pair of engines, the points beyond the expected ones are
squared and divided by their variance. The sum has about as many degrees of freedom as there are
pairs, less the ratings. Each pair has an effect of its own, with the variance that makes the sum no
more than it should be: Williams, "Extra-Binomial Variation in Logistic Linear Models", Applied
Statistics 31 (1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.tournaments.ratings.clusters import FEWEST, design_effect, residuals, t_quantile
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975, STANDARD
from oddly.tournaments.ratings.ordered_pairs import unordered_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.tournaments.ratings.ordered_pairs import Array, Indices, Results
    from oddly.tournaments.ratings.posterior import Posterior

LEAST_INFORMATION = 2.0
"""Pairs with a smaller sum of p (1 - p) are not tested, as their results are far from normal."""

SIGNIFICANT = 0.025
"""Ratings with a smaller p-value do not fit; with many draws, it stands for up to 5 %."""

WORST = 3
"""The number of pairs of engines that are named."""

MAX_EXACT = 30
"""The most degrees of freedom for which terms are added up, none beyond what a float holds."""


class PairOfEngines(NamedTuple):
    """How far two engines' games are from what their ratings say."""

    one: int
    other: int
    points: float
    """The points of engine number `one` against number `other`."""
    expected: float
    games: int


@dataclass(frozen=True, slots=True)
class Fit:
    """The test of whether one rating for each engine explains the results of every pair."""

    statistic: float
    freedom: float
    """The degrees of freedom; 0 where nothing can be tested."""
    worst: tuple[PairOfEngines, ...]
    """The pairs that fit least, the worst first."""
    effect: float
    """The standard deviation, in Elo, of the pairs' own effects; 0 if none is found."""

    @property
    def is_poor(self) -> bool:
        """Whether chance alone is unlikely to explain how far results are from ratings."""
        return self.p_value < SIGNIFICANT

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least this great if the ratings fit."""
        return chi_square_tail(self.statistic, self.freedom)


def fit_and_covariances(
    results: Results, posterior: Posterior, peak: Array
) -> tuple[Fit, Array, Array]:
    """Return the test of fit, the covariance of ideal games, and the one that follows from the fit.

    They are in units of log-odds.
    """
    covariance = posterior.covariance(peak)
    diagonal = np.diag(covariance)

    def variances(one: Indices, other: Indices) -> Array:
        between: Array = diagonal[one] + diagonal[other] - 2 * covariance[one, other]
        return between

    fit, variation, scale = fit_and_variation(results, posterior, peak, variances)
    robust = covariance @ variation.matrix() @ covariance
    scale = np.append(scale, 1.0)
    return fit, covariance, robust * scale[:, None] * scale


def fit_and_variation(
    results: Results,
    posterior: Posterior,
    peak: Array,
    variances: Callable[[Indices, Indices], Array],
) -> tuple[Fit, Variation, Array]:
    """Return the test of fit, the variation B, and the factors of engines' deviations.

    The factors multiply the deviations that follow from A and B. `variances` returns the variances
    that differences of ratings would have in ideal games.
    """
    pairs = _Pairs(results, posterior, peak)
    variance = pairs.draw_factor * pairs.design_effects()
    fit = _fit(results, pairs, variance, variances)
    effect = fit.effect / ELO_PER_NAT
    variation = Variation(posterior, peak, variance[pairs.of_entry], effect)
    return fit, variation, _few_clusters(results)


class Variation:
    """The covariance B of the gradient of the log-posterior at its peak.

    `factors` say how much more the results of each ordered pair vary than in ideal games, and
    `effect` is the standard deviation of the pairs' own effects, in units of log-odds.
    """

    def __init__(
        self, posterior: Posterior, peak: Array, factors: Array | float = 1.0, effect: float = 0.0
    ) -> None:
        self._posterior, self._peak = posterior, peak
        self._factors, self._effect = factors, effect
        self._weights = posterior.weights(peak)
        codes, self._of_entry = unordered_pairs(
            posterior.first, posterior.second, posterior.engines
        )
        self._number = len(codes)
        # What an effect adds to one engine's points as first player, it takes from the other's.
        self._moved = effect * np.where(posterior.first < posterior.second, 1, -1) * self._weights

    def __matmul__(self, vector: Array) -> Array:
        """Return the product of B and a vector."""
        odds = self._posterior.log_odds(vector)
        of_pairs = self._sum(self._moved * odds)
        excess = self._weights * self._factors * odds + self._moved * of_pairs[self._of_entry]
        product = self._posterior.taken(excess)
        product[-1] += self._posterior.prior_information * vector[-1]
        return product

    def matrix(self) -> Array:
        """Return B as a dense matrix."""
        both = self._sum(self._effect * self._weights)
        factors = self._factors + self._effect * both[self._of_entry]
        matrix = self._posterior.information(self._peak, factors)
        # Of the advantage alone, an effect moves the difference of the two seats, not their sum.
        matrix[-1, -1] -= float(np.sum(both**2 - self._sum(self._moved) ** 2))
        return matrix

    def draw(self, die: np.random.Generator) -> Array:
        """Return a gradient drawn at random around 0, whose covariance is B."""
        excess = np.sqrt(self._weights * self._factors) * die.choice([-1.0, 1.0], len(self._moved))
        prior = math.sqrt(self._posterior.prior_information) * die.choice([-1.0, 1.0])
        if self._effect:
            excess += self._moved * die.choice([-1.0, 1.0], self._number)[self._of_entry]
        drawn = self._posterior.taken(excess)
        drawn[-1] += prior
        return drawn

    def _sum(self, entries: Array) -> Array:
        """Return the sum over the ordered pairs of each pair."""
        return np.bincount(self._of_entry, entries, self._number).astype(np.float64)


class _Pairs:
    """The unordered pairs of engines that met; `one` is the lower number."""

    def __init__(self, results: Results, posterior: Posterior, peak: Array) -> None:
        engines = len(results.names)
        codes, self.of_entry = unordered_pairs(results.first, results.second, engines)
        self.one, self.other = codes // max(1, engines), codes % max(1, engines)
        self._codes, self._engines = codes, engines
        self._results = results
        odds = posterior.log_odds(peak)
        self._chance = 1 / (1 + np.exp(-odds))
        certainty = results.games * self._chance * (1 - self._chance)
        self.information = self._sum(certainty)
        self._ahead = np.where(results.first < results.second, 1.0, -1.0)
        self.excess = self._sum(self._ahead * (results.points - results.games * self._chance))
        # As if one more game had been decided, so that nothing is certain.
        decided = 0.25 + float(certainty.sum())
        self.draw_factor = max(0.25, decided - float(results.draws.sum()) / 4) / decided

    def _sum(self, entries: Array) -> Array:
        """Return the sum over the ordered pairs of each pair."""
        return np.bincount(self.of_entry, entries, len(self._codes)).astype(np.float64)

    def design_effects(self) -> Array:
        """Return the design effect of each pair, at least 1."""
        results, effects = self._results, np.ones(len(self._codes))
        if not results.repeats:
            return effects
        entries = {
            seats: (k, (int(results.wins[k]), int(results.losses[k]), int(results.draws[k])))
            for k, seats in enumerate(
                zip(results.first.tolist(), results.second.tolist(), strict=True)
            )
        }
        for (one, other), clusters in results.repeats.items():
            chances, squares = [0.5, 0.5], 0.0
            for seat, key in enumerate(((one, other), (other, one))):
                if (found := entries.get(key)) is not None:
                    chances[seat] = float(self._chance[found[0]])
                    squares += residuals(found[1], chances[seat])[1]
            place = np.searchsorted(self._codes, one * self._engines + other)
            effects[place] = design_effect(clusters, chances, squares)
        return effects


def _few_clusters(results: Results) -> Array:
    """Return the factor by which few clusters widen the deviation of each rating.

    With G clusters, the quantile is that of Student's t with G - 1 degrees of freedom, and the
    variance is multiplied by G / (G - 1): Cameron and Miller, section VI.
    """
    scale = np.ones(len(results.names))
    clusters = results.clusters_of_engines()
    for engine in {engine for pair in results.repeats for engine in pair}:
        number = max(FEWEST, float(clusters[engine]))
        scale[engine] = t_quantile(number - 1) / QUANTILE_975 * math.sqrt(number / (number - 1))
    return scale


def _fit(
    results: Results, pairs: _Pairs, variance: Array, variances: Callable[[Indices, Indices], Array]
) -> Fit:
    """Return the test of fit, where the results of pairs vary by `variance` times as much."""
    is_tested = pairs.information >= LEAST_INFORMATION
    one, other = pairs.one[is_tested], pairs.other[is_tested]
    information, factor = pairs.information[is_tested], variance[is_tested]
    # The share of a pair's information that went into the ratings.
    leverage = information * variances(one, other)
    left = np.clip(1 - leverage, 0.0, 1.0)
    squares = pairs.excess[is_tested] ** 2 / (information * factor)
    statistic, freedom = float(squares.sum()), float(left.sum())
    if freedom < 0.5:
        return Fit(0.0, 0.0, (), 0.0)
    beyond = max(0.0, statistic - freedom)
    effect = math.sqrt(beyond / float((information / factor * left).sum()))
    share = np.divide(squares, left, out=np.zeros_like(squares), where=left > 0.01)
    worst = tuple(
        _pair_of_engines(results, int(one[k]), int(other[k]), float(pairs.excess[is_tested][k]))
        for k in np.argsort(-share, kind="stable")[:WORST]
    )
    return Fit(statistic, freedom, worst, ELO_PER_NAT * effect)


def _pair_of_engines(results: Results, one: int, other: int, excess: float) -> PairOfEngines:
    as_first = (results.first == one) & (results.second == other)
    as_second = (results.first == other) & (results.second == one)
    games = int(results.games[as_first].sum() + results.games[as_second].sum())
    points = float(results.points[as_first].sum())
    points += float((results.games - results.points)[as_second].sum())
    return PairOfEngines(one, other, points, points - excess, games)


def chi_square_tail(statistic: float, freedom: float = 1.0) -> float:
    """Return the p-value of a chi-square statistic; 1 without any degree of freedom.

    With a few whole degrees it is exact: Abramowitz and Stegun, *Handbook of Mathematical
    Functions* (1964), 26.4.4 and 26.4.5. Otherwise the cube root is nearly normal: Wilson and
    Hilferty, "The Distribution of Chi-Square", PNAS 17 (1931).
    """
    if freedom <= 0:
        return 1.0
    if freedom <= MAX_EXACT and freedom == int(freedom):
        half, odd = statistic / 2, freedom % 2
        powers = (k + odd / 2 for k in range(int(freedom) // 2))
        terms = (half**power / math.gamma(power + 1) for power in powers)
        return odd * math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms)
    variance = 2 / (9 * freedom)
    root = (statistic / freedom) ** (1 / 3)
    return STANDARD.cdf((1 - variance - root) / math.sqrt(variance))
