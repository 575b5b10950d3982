"""The log-posterior of ratings and a first-player advantage, and its maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT

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
