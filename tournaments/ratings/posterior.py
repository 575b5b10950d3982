"""The log-posterior of ratings, its maximum, and the error bars that follow from it.

A normal distribution fitted to the peak of the posterior (Laplace's approximation) is symmetric.
The posterior of an engine that won nearly all its games is not: it leans away from the others, and
such bars are too short on that side. Here a bar reaches as far as the logarithm of the posterior
stays within 1.92 of its peak, half the 95 % quantile of chi-square with 1 degree of freedom (Wilks,
"The large-sample distribution of the likelihood ratio for testing composite hypotheses", Annals of
Mathematical Statistics 9, 1938). The path is the line on which the rating moves at the least cost
near the peak; the other ratings and the advantage move along. The longer side counts, and at least
the normal distribution's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.ordered_pairs import Results

    Array = NDArray[np.floating[Any]]


ADVANTAGE_PRIOR = 4000.0
"""The standard deviation of the advantage, in Elo, which leaves it practically free."""

PRECISION = 1e-9
"""The last step of the search is smaller than this, in units of log-odds (1.7e-7 Elo)."""

MAX_STEPS = 1000


class Posterior:
    """The log-posterior of ratings and advantage, in units of log-odds.

    A point is an array of all ratings followed by the advantage, which stays 0 without
    `advantage`.
    """

    def __init__(self, results: Results, prior: float, *, advantage: bool = True) -> None:
        self.first, self.second = results.first, results.second
        self.games = results.games.astype(np.float64)
        self.points = results.points
        self.engines = len(results.names)
        self.has_advantage = advantage
        widths = np.append(np.full(self.engines, prior), ADVANTAGE_PRIOR)
        self.prior_information = (ELO_PER_NAT / widths) ** 2

    def peak(self) -> Array:
        """Return the point where the posterior is greatest, by Newton's method.

        A step that changes some pair's log-odds by R > 1 is shortened to 1 / R of it, which always
        climbs: the third derivative of a logistic log-likelihood along a line is at most R times
        the second. Bach, "Self-concordant analysis for logistic regression", Electronic Journal of
        Statistics 4 (2010), proposition 1.

        Raises ArithmeticError if no peak is found in MAX_STEPS steps.
        """
        point = np.zeros(self.engines + 1)
        for _ in range(MAX_STEPS):
            step = np.linalg.solve(self.information(point), self.gradient(point))
            reach = max(1.0, float(np.abs(self.log_odds(step)).max(initial=0.0)))
            point += step / reach
            if np.abs(step).max() < PRECISION:
                return point
        raise ArithmeticError(f"no peak of the posterior found in {MAX_STEPS} steps")

    def log_odds(self, point: Array) -> Array:
        """Return the log-odds of the first player of each ordered pair."""
        odds: Array = point[self.first] - point[self.second] + point[-1]
        return odds

    def logarithm(self, point: Array) -> float:
        """Return the log-posterior up to a constant."""
        odds = self.log_odds(point)
        lost = self.games - self.points
        # -log of a loss's probability is that of a win's plus the log-odds.
        # Summed without BLAS, whose threads cost more than they save here.
        likelihood = -np.sum(self.games * _softplus(-odds) + lost * odds)
        return float(likelihood - self.prior_information @ point**2 / 2)

    def gradient(self, point: Array) -> Array:
        """Return the first derivatives of the log-posterior."""
        odds = self.log_odds(point)
        # Points beyond the expected ones, without a difference of two numbers near 1.
        excess = self.points * _logistic(-odds) - (self.games - self.points) * _logistic(odds)
        slope = -self.prior_information * point
        slope[:-1] += np.bincount(self.first, excess, self.engines)
        slope[:-1] -= np.bincount(self.second, excess, self.engines)
        slope[-1] += excess.sum()
        if not self.has_advantage:
            slope[-1] = 0.0
        return slope

    def information(self, point: Array) -> Array:
        """Return the second derivatives of the log-posterior with the sign changed."""
        odds = self.log_odds(point)
        weights = self.games * _logistic(odds) * _logistic(-odds)
        engines = self.engines
        met = np.bincount(self.first * engines + self.second, weights, engines**2)
        met = met.reshape(engines, engines)
        as_first, as_second = met.sum(axis=1), met.sum(axis=0)
        matrix = np.diag(self.prior_information)
        matrix[:-1, :-1] += np.diag(as_first + as_second) - met - met.T
        if self.has_advantage:
            matrix[:-1, -1] = matrix[-1, :-1] = as_first - as_second
            matrix[-1, -1] += weights.sum()
        return matrix

    def third_derivatives(self, point: Array) -> Callable[[Array], float]:
        """Return a function from steps to the third derivative of the log-posterior along them."""
        odds = self.log_odds(point)
        chance, against = _logistic(odds), _logistic(-odds)
        weights = -self.games * chance * against * (against - chance)

        def along(step: Array) -> float:
            change = self.log_odds(step)
            return float(np.sum(weights * change * change * change))

        return along


def _logistic(odds: Array) -> Array:
    """Return 1 / (1 + e^-odds), exact in both tails."""
    small = np.exp(-np.abs(odds))
    logistic: Array = np.where(odds >= 0, 1.0, small) / (1.0 + small)
    return logistic


def _softplus(odds: Array) -> Array:
    """Return log(1 + e^odds), exact in both tails, and faster than `logaddexp` does."""
    softplus: Array = np.log1p(np.exp(-np.abs(odds))) + np.maximum(odds, 0.0)
    return softplus


FALL = QUANTILE_975**2 / 2
"""By how much the log-posterior falls at the end of a bar."""

FARTHEST = 50.0
"""Where the search ends, in standard deviations."""

HALVINGS = 10
"""The halvings of the bracket around the end of a bar: it is then known to 0.1 %."""

MAX_SEARCHED = 40
"""The most engines whose bars are searched; of more, those whose posterior leans most."""

NOTABLE_STRETCH = 1.01
"""Bars that are hardly longer than the normal one are not searched: the estimate will do."""


class Likelihood:
    """The log-posterior around its peak. `covariance` is in units of log-odds."""

    def __init__(self, posterior: Posterior, peak: Array, covariance: Array, shift: Array) -> None:
        self._posterior = posterior
        self._peak = peak
        self._covariance = covariance
        self._contrasts = np.zeros((len(shift), len(peak)))
        self._contrasts[:, : len(shift)] = shift
        self._top = posterior.logarithm(peak)
        self._third_derivative = posterior.third_derivatives(peak)

    def stretches(self) -> Array:
        """Return by how much the bar of each rating is longer than the normal one, 1 or more."""
        found = np.ones(len(self._contrasts))
        leaning = np.array([self._leaning(contrast) for contrast in self._contrasts])
        # To the second order, the end of a bar moves by this share of its length.
        found += np.abs(leaning) * QUANTILE_975 / 6
        for index in np.argsort(-np.abs(leaning))[:MAX_SEARCHED]:
            if found[index] > NOTABLE_STRETCH:
                found[index] = self.stretch(self._contrasts[index])
        return found

    def advantage_stretch(self) -> float:
        """Return the same for the advantage of playing first."""
        contrast = np.zeros(len(self._peak))
        contrast[-1] = 1.0
        return self.stretch(contrast)

    def stretch(self, contrast: Array) -> float:
        """Return by how much the bar of a sum of ratings is longer than the normal one."""
        line = self._line(contrast)
        if line is None:
            return 1.0
        ends = [self._end(side * line) for side in (1, -1)]
        return max(QUANTILE_975, *ends) / QUANTILE_975

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
        fall = self._fall(-ahead / float(contrast @ line) * line)
        return math.copysign(math.sqrt(2 * max(0.0, fall)), ahead)

    def _line(self, contrast: Array) -> Array | None:
        """Return the cheapest step that moves a contrast by one standard deviation."""
        step = self._covariance @ contrast
        variance = float(contrast @ step)
        return None if variance <= 0 else step / math.sqrt(variance)

    def _fall(self, step: Array) -> float:
        """Return by how much the log-posterior is lower at that distance from the peak."""
        return self._top - self._posterior.logarithm(self._peak + step)

    def _end(self, line: Array) -> float:
        """Return how many standard deviations along a line it takes to fall by FALL."""
        low, high = 0.0, QUANTILE_975
        while self._fall(high * line) < FALL:
            low, high = high, 1.5 * high
            if high > FARTHEST:
                return high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self._fall(middle * line) < FALL:
                low = middle
            else:
                high = middle
        return low

    def _leaning(self, contrast: Array) -> float:
        """Return the third derivative of the log-posterior along the line of a contrast."""
        line = self._line(contrast)
        return 0.0 if line is None else self._third_derivative(line)
