"""Ratings from results: Bradley-Terry, maximum a posteriori, with a first-player advantage.

The model: first player i beats second player j with probability

    p = 1 / (1 + 10^(-(r_i - r_j + a) / 400)),

r being ratings and a the advantage of playing first, all in Elo. Bradley and Terry, "Rank analysis
of incomplete block designs", Biometrika 39 (1952), have it without a; Davidson and Beaver, "On
extending the Bradley-Terry model to incorporate within-pair order effects", Biometrics 33 (1977),
with.

A draw counts as half a win and half a loss. Of our games only Ayu has draws, and those by
repetition only: too few to estimate a further parameter from, as Davidson's model would (Journal of
the American Statistical Association 65, 1970). Half a win and half a loss have the variance of a
decided game, which is more than a draw has, so that error bars err on the wide side.

Ratings have a Gaussian prior, so that an engine that won all its games, or none, or never played,
has a finite rating, and parts of a league that never met have some relation. The prior of the
advantage is ten times as wide as that of ratings is by default: it matters only where the first
players won every game, or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tournaments.ratings.elo import ELO_PER_NAT
from tournaments.ratings.ratings import AdvantageTest, Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tournaments.ratings.ordered_pairs import Results

    Array = NDArray[np.floating[Any]]

DEFAULT_PRIOR = 400.0
"""The standard deviation of ratings, in Elo, that is assumed before the first game."""

ADVANTAGE_PRIOR = 4000.0
"""The same for the advantage of playing first, which leaves it practically free."""

PRECISION = 1e-9
"""The last step of the search is smaller than this, in units of log-odds (1.7e-7 Elo)."""

MAX_STEPS = 1000

MAX_ENGINES = 2000
"""The covariance of this many engines takes 32 MB, and rating them needs about ten times that."""


def rate(
    results: Results,
    prior: float = DEFAULT_PRIOR,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
) -> Ratings:
    """Return the most probable ratings, in Elo, with their joint covariance.

    `prior` is the standard deviation of ratings in Elo. The engine `anchor` gets `anchor_elo`;
    without one, the mean rating is 0.

    Raises ValueError for an unknown anchor, a prior not above 0, or more than MAX_ENGINES engines:
    memory grows with the square of their number and time with its cube. The number of games matters
    to neither, only that of the pairs that met.
    """
    if len(results.names) > MAX_ENGINES:
        raise ValueError(f"at most {MAX_ENGINES} engines are rated, not {len(results.names)}")
    if not prior > 0:
        raise ValueError(f"the prior must be above 0 Elo, not {prior}")
    if anchor is not None and anchor not in results.names:
        raise ValueError(f"there is no engine {anchor!r}")
    posterior = _Posterior(results, prior)
    peak = posterior.peak()
    engines = len(results.names)
    covariance = np.linalg.inv(posterior.information(peak)) * ELO_PER_NAT**2
    reference = None if anchor is None else results.names.index(anchor)
    shift = _shift(engines, reference)
    elo = shift @ (ELO_PER_NAT * peak[:engines]) + (0.0 if anchor is None else anchor_elo)
    projected = shift @ covariance[:engines, :engines] @ shift.T
    return Ratings(
        names=results.names,
        elo=elo,
        covariance=(projected + projected.T) / 2,
        games=results.games_of_engines(),
        points=results.points_of_engines(),
        advantage=float(ELO_PER_NAT * peak[engines]),
        advantage_variance=float(covariance[engines, engines]),
    )


def advantage_test(results: Results, prior: float = DEFAULT_PRIOR) -> AdvantageTest:
    """Return the test of whether playing first matters.

    Twice the difference of the maximal log-posteriors with and without an advantage is, if there is
    none, distributed as chi-square with 1 degree of freedom: Wilks, "The large-sample distribution
    of the likelihood ratio for testing composite hypotheses", Annals of Mathematical Statistics 9
    (1938). `prior` is that of `rate`, in Elo.
    """
    free, none = _Posterior(results, prior), _Posterior(results, prior, advantage=False)
    gain = free.logarithm(free.peak()) - none.logarithm(none.peak())
    # Rounding may leave the smaller model ahead by a hair.
    return AdvantageTest(statistic=max(0.0, 2 * gain))


def _shift(engines: int, anchor: int | None) -> Array:
    """Return the projection that subtracts the anchor's rating, or the mean, from all ratings."""
    taken = np.full(engines, 1 / max(engines, 1)) if anchor is None else np.eye(engines)[anchor]
    shift: Array = np.eye(engines) - taken
    return shift


class _Posterior:
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
        likelihood = -self.points @ np.logaddexp(0, -odds) - lost @ np.logaddexp(0, odds)
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


def _logistic(odds: Array) -> Array:
    """Return 1 / (1 + e^-odds), exact in both tails."""
    logistic: Array = np.exp(-np.logaddexp(0, -odds))
    return logistic
