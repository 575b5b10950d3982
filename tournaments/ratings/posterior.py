"""The log-posterior of ratings, its maximum, and the error bars that follow from it.

The prior is a number of virtual draws for each engine, spread evenly over the opponents that it
met, as in Coulom's BayesElo (https://www.remi-coulom.fr/Bayesian-Elo/), which spreads them by
games. So the prior says only that engines that met are not infinitely far apart. A prior on each
rating would add up along a chain of versions and draw its ends together.

A normal distribution fitted to the peak of the posterior (Laplace's approximation) is symmetric.
The posterior of an engine that won nearly all its games is not: it leans away from the others, and
such bars are too short on that side. Here a bar reaches as far as the logarithm of the posterior
stays within 1.92 of its peak, half the 95 % quantile of chi-square with 1 degree of freedom (Wilks,
"The large-sample distribution of the likelihood ratio for testing composite hypotheses", Annals of
Mathematical Statistics 9, 1938). The path is the line on which the rating moves at the least cost
near the peak; the other ratings and the advantage move along. The longer side counts, but no less
than the normal distribution's.
"""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.ordered_pairs import connected, unordered_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.tournaments.ratings.ordered_pairs import Array, Indices, Results


SMALLEST_PRIOR, LARGEST_PRIOR = 1e-9, 1e9
"""With other priors rounding errors outweigh the prior, or the games."""
WEAKER = math.log(10)
"""Error bars allow for a prior that is weaker or stronger by this much in its logarithm."""
ADVANTAGE_PRIOR = 4000.0
"""The standard deviation of the advantage, in Elo, which leaves it practically free."""

PRECISION = 1e-9
"""The search ends with a step smaller than this, in units of log-odds (1.7e-7 Elo)."""

MAX_STEPS = 1000


def check_prior(prior: float) -> None:
    """Raise ValueError for a prior that is too small or too large."""
    if not SMALLEST_PRIOR <= prior <= LARGEST_PRIOR:
        raise ValueError(
            f"the prior must be from {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g} virtual draws, "
            f"not {prior}"
        )


class LogPosterior:
    """The log-posterior of ratings and advantage, in units of log-odds.

    `games` and `points` of each ordered pair include virtual draws. A point is an array of all
    ratings followed by the advantage, which stays 0 without `has_advantage`.
    """

    def __init__(
        self,
        engines: int,
        pairs: tuple[Indices, Indices],
        games: Array,
        points: Array,
        *,
        has_advantage: bool,
    ) -> None:
        self.engines = engines
        self.first, self.second = pairs
        self.games, self.points = games, points
        self.has_advantage = has_advantage
        self.prior_information = (ELO_PER_NAT / ADVANTAGE_PRIOR) ** 2

    def log_odds(self, point: Array) -> Array:
        """Return the log-odds of the first player of each ordered pair."""
        odds: Array = point[self.first] - point[self.second] + point[-1]
        return odds

    def logarithm(self, point: Array) -> float:
        """Return the log-posterior up to a constant."""
        odds = self.log_odds(point)
        lost = self.games - self.points
        # -log of a loss's probability is -log of a win's plus the log-odds. Summed without BLAS,
        # whose threads cost more than they save here.
        likelihood = -np.sum(self.games * _softplus(-odds) + lost * odds)
        return float(likelihood - self.prior_information * point[-1] ** 2 / 2)

    def gradient(self, point: Array) -> Array:
        """Return the first derivatives of the log-posterior."""
        return self.derivatives(point)[0]

    def derivatives(self, point: Array) -> tuple[Array, Array]:
        """Return the gradient, and the information of each ordered pair about its log-odds."""
        chance, against = _chances(self.log_odds(point))
        # Points beyond the expected ones, without a difference of two numbers near 1.
        slope = self.taken(self.points * against - (self.games - self.points) * chance)
        slope[-1] -= self.prior_information * point[-1]
        if not self.has_advantage:
            slope[-1] = 0.0
        return slope, self.games * chance * against

    def taken(self, entries: Array) -> Array:
        """Return each engine's sum over its pairs, as first less as second player, and the total.

        It is the transpose of `log_odds`.
        """
        sums = np.zeros(self.engines + 1)
        sums[:-1] += np.bincount(self.first, entries, self.engines)
        sums[:-1] -= np.bincount(self.second, entries, self.engines)
        sums[-1] = entries.sum()
        return sums

    def weights(self, point: Array) -> Array:
        """Return the information of each ordered pair about its log-odds."""
        chance, against = _chances(self.log_odds(point))
        weights: Array = self.games * chance * against
        return weights

    def climb(
        self, point: Array, step_at: Callable[[Array], Array], precision: float, most: int
    ) -> None:
        """Move a point to the peak, by Newton's method, whose steps `step_at` returns.

        A step that changes some pair's log-odds by R > 1 is shortened to 1 / R of it, which always
        climbs: the third derivative of a logistic log-likelihood along a line is at most R times
        the second. Bach, "Self-concordant analysis for logistic regression", Electronic Journal of
        Statistics 4 (2010), proposition 1.

        The last step is smaller than `precision`, in units of log-odds. Raises ArithmeticError if
        there is none in `most` steps.
        """
        for _ in range(most):
            step = step_at(point)
            reach = max(1.0, float(np.abs(self.log_odds(step)).max(initial=0.0)))
            point += step / reach
            if np.abs(step).max() < precision:
                return
        raise ArithmeticError(f"no peak of the posterior found in {most} steps")

    def third_derivatives(self, point: Array) -> Callable[[Array], float]:
        """Return a function from steps to the third derivative of the log-posterior along them."""
        odds = self.log_odds(point)
        chance, against = _chances(odds)
        # A function inside this one could not be pickled.
        return partial(self._third_derivative, -self.games * chance * against * (against - chance))

    def _third_derivative(self, weights: Array, step: Array) -> float:
        change = self.log_odds(step)
        return float(np.sum(weights * change * change * change))


class Posterior(LogPosterior):
    """The log-posterior of results; `prior` is the number of virtual draws of each engine.

    Engines that games do not connect have no level in common: the mean of each of the `groups`
    stays 0.
    """

    def __init__(self, results: Results, prior: float, *, advantage: bool = True) -> None:
        engines = len(results.names)
        pairs = (results.first, results.second)
        virtual = virtual_draws(engines, *pairs, results.games, prior)
        games, points = results.games + virtual, results.points + virtual / 2
        super().__init__(engines, pairs, games, points, has_advantage=advantage)
        self._virtual = virtual
        self.groups = connected(engines, *pairs)
        """The number of each engine's group, which games connect; 0 is the largest group."""

    def pull(self, point: Array) -> Array:
        """Return the gradient of the virtual draws alone, which draw ratings together."""
        return self.taken(-self._virtual / 2 * np.tanh(self.log_odds(point) / 2))

    @cached_property
    def _levels(self) -> Array:
        """The projection onto the levels, about which no game tells anything."""
        same = self.groups[:, None] == self.groups
        levels = np.zeros((self.engines + 1, self.engines + 1))
        levels[:-1, :-1] = same / np.maximum(1, same.sum(axis=1))
        return levels

    def peak(self) -> Array:
        """Return the point where the posterior is greatest. Raises ArithmeticError, as `climb`."""

        def step_at(point: Array) -> Array:
            return np.linalg.solve(self.information(point) + self._levels, self.gradient(point))

        point = np.zeros(self.engines + 1)
        self.climb(point, step_at, PRECISION, MAX_STEPS)
        return point

    def covariance(self, point: Array) -> Array:
        """Return the inverse of the information, relative to the mean of each group."""
        inverse: Array = np.linalg.inv(self.information(point) + self._levels) - self._levels
        return inverse

    def log_determinant(self, point: Array) -> float:
        """Return the logarithm of the information's determinant, levels left out."""
        size = self.engines + self.has_advantage
        matrix = (self.information(point) + self._levels)[:size, :size]
        return float(np.linalg.slogdet(matrix)[1])

    def information(self, point: Array, factors: Array | float = 1.0) -> Array:
        """Return the second derivatives of the log-posterior with the sign changed.

        `factors` multiply what each ordered pair contributes.
        """
        weights = self.weights(point) * factors
        engines = self.engines
        met = np.bincount(self.first * engines + self.second, weights, engines**2)
        met = met.reshape(engines, engines)
        as_first, as_second = met.sum(axis=1), met.sum(axis=0)
        matrix = np.zeros((engines + 1, engines + 1))
        matrix[:-1, :-1] = np.diag(as_first + as_second) - met - met.T
        matrix[-1, -1] = self.prior_information
        if self.has_advantage:
            matrix[:-1, -1] = matrix[-1, :-1] = as_first - as_second
            matrix[-1, -1] += weights.sum()
        return matrix


def virtual_draws(
    engines: int, first: Indices, second: Indices, games: Indices, prior: float
) -> Array:
    """Return the virtual draws of each ordered pair: `prior` for each engine, over its opponents.

    The two orders of a pair share them by their games.
    """
    codes, pair = unordered_pairs(first, second, engines)
    one, other = np.divmod(codes, max(1, engines))
    opponents = np.bincount(one, minlength=engines) + np.bincount(other, minlength=engines)
    together = np.bincount(pair, games, len(codes))
    share = prior / np.maximum(1, opponents)
    draws: Array = (share[first] + share[second]) * games / together[pair]
    return draws


def _chances(odds: Array) -> tuple[Array, Array]:
    """Return 1 / (1 + e^-odds) and 1 / (1 + e^odds), exact in both tails."""
    small = np.exp(-np.abs(odds))
    likely, unlikely = 1.0 / (1.0 + small), small / (1.0 + small)
    leads = odds >= 0
    return np.where(leads, likely, unlikely), np.where(leads, unlikely, likely)


def _softplus(odds: Array) -> Array:
    """Return log(1 + e^odds), exact in both tails, and faster than `logaddexp` does."""
    softplus: Array = np.log1p(np.exp(-np.abs(odds))) + np.maximum(odds, 0.0)
    return softplus


FALL = QUANTILE_975**2 / 2
"""How far a log-likelihood falls at the ends of a 95 % interval, if games are independent."""

FARTHEST = 50.0
"""Where the search ends, in normal bars."""

LEAST_VARIANCE = 1e-12
"""A variance below this, in square log-odds, is only rounding."""

HALVINGS = 10
"""How often the bracket around the end of a bar is halved, for a precision of 0.1 %."""

MAX_SEARCHED = 40
"""The most bars that are searched: those of the engines whose posterior leans most."""

NOTABLE_STRETCH = 1.01
"""Bars hardly longer than the normal one are not searched: the estimate is good enough."""


class Product(Protocol):
    """A matrix of which only products with vectors are needed."""

    def __matmul__(self, vector: Array, /) -> Array:
        """Return the product with a vector."""


class Likelihood:
    """The log-posterior around its peak.

    `covariance`, in units of log-odds, is the inverse of its second derivatives, and `robust` the
    covariance if games are neither independent nor all decided. If `robust` multiplies the variance
    of a sum of ratings by a factor, the log-posterior falls by that factor more to the end of its
    bar: Rao and Scott, see `clusters.py`.
    """

    def __init__(
        self,
        posterior: LogPosterior,
        peak: Array,
        covariance: Product,
        robust: Product,
        contrast: Callable[[int], Array],
        leaning: Array | None = None,
    ) -> None:
        """`contrast` returns the vector that reads a rating, relative to others, off a point.

        `leaning` says how much the posterior leans along each of these, if known.
        """
        self._posterior = posterior
        self._peak = peak
        self.covariance = covariance
        self._robust = robust
        self._contrast = contrast
        self._known_leaning = leaning
        self._top = posterior.logarithm(peak)
        self._third_derivative = posterior.third_derivatives(peak)

    def stretches(self) -> Array:
        """Return the factor, 1 or more, by which each bar is longer than the normal one."""
        found = np.ones(self._posterior.engines)
        leaning = self._known_leaning
        if leaning is None:
            engines = range(len(found))
            leaning = np.array([self._leaning(self._contrast(engine)) for engine in engines])
        # To the second order, the end of a bar moves by this share of its length.
        found += np.abs(leaning) * QUANTILE_975 / 6
        for index in np.argsort(-np.abs(leaning))[:MAX_SEARCHED]:
            if found[index] > NOTABLE_STRETCH:
                found[index] = self.stretch(self._contrast(int(index)))
        return found

    def advantage_stretch(self) -> float:
        """Return the same for the advantage of playing first."""
        contrast = np.zeros(len(self._peak))
        contrast[-1] = 1.0
        return self.stretch(contrast)

    def stretch(self, contrast: Array) -> float:
        """Return the factor by which the bar of a sum of ratings is longer than the normal one."""
        line = self._line(contrast)
        if line is None:
            return 1.0
        ratio = self._ratio(contrast)
        normal = QUANTILE_975 * math.sqrt(ratio)
        ends = [self._end(side * line, normal, ratio * FALL) for side in (1, -1)]
        return max(normal, *ends) / normal

    def root(self, one: int, other: int) -> float:
        """Return how many standard deviations `one` is ahead of `other`.

        It is the signed root of the likelihood ratio of the ratings against equal ones, which for a
        normal distribution is the difference over its standard deviation.
        """
        contrast = np.zeros(len(self._peak))
        contrast[one], contrast[other] = 1.0, -1.0
        ahead = float(contrast @ self._peak)
        line = self._line(contrast)
        if line is None or not ahead:
            return 0.0
        fall = self._fall(-ahead / float(contrast @ line) * line) / self._ratio(contrast)
        return math.copysign(math.sqrt(2 * max(0.0, fall)), ahead)

    def _ratio(self, contrast: Array) -> float:
        """Return the variance of a contrast as a multiple of that of independent games."""
        robust = float(contrast @ (self._robust @ contrast))
        return robust / float(contrast @ (self.covariance @ contrast))

    def _line(self, contrast: Array) -> Array | None:
        """Return the cheapest step that moves a contrast by one standard deviation."""
        step = self.covariance @ contrast
        variance = float(contrast @ step)
        return None if variance <= LEAST_VARIANCE else step / math.sqrt(variance)

    def _fall(self, step: Array) -> float:
        """Return by how much the log-posterior is lower at that distance from the peak."""
        return self._top - self._posterior.logarithm(self._peak + step)

    def _end(self, line: Array, normal: float, fall: float) -> float:
        """Return how many standard deviations along a line give this fall."""
        low, high = 0.0, normal
        while self._fall(high * line) < fall:
            low, high = high, 1.5 * high
            if high > FARTHEST * normal:
                return high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self._fall(middle * line) < fall:
                low = middle
            else:
                high = middle
        return low

    def _leaning(self, contrast: Array) -> float:
        """Return the third derivative along a contrast, where its deviation is that of `robust`."""
        line = self._line(contrast)
        if line is None:
            return 0.0
        return math.sqrt(self._ratio(contrast)) * self._third_derivative(line)
