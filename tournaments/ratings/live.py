"""The ratings of hundreds or thousands of engines, kept up to date game by game.

A game changes the gradient of the log-posterior along one difference of ratings only. Newton's
method, started at the last peak, then needs a few steps, each of which weighs all games anew and
solves one sparse system of equations (`sparse.py`). What games tell about a difference d of ratings
adds w d d' to the information, so w u u' / (1 + w d' u) is taken from its inverse C, where u = C d
is one more solution: Sherman and Morrison, "Adjustment of an inverse matrix corresponding to a
change in one element of a given matrix", Annals of Mathematical Statistics 21 (1950). Only the
diagonal of C is kept, which gives the error bars. A column of C is again one solution.

Weights change as ratings move, so the diagonal is recomputed now and then: from the inverse, or for
more than MAX_DENSE engines from SAMPLE solutions, with a standard error of 3 %.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.posterior import LogPosterior
from oddly.tournaments.ratings.sparse import Laplacian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oddly.tournaments.ratings.ordered_pairs import Array

UNMET = 1000.0
"""The standard deviation, in Elo, of a difference between engines that no games connect yet."""

SETTLED = 0.05
"""Ratings have settled when the next step of Newton's method would move none by more than this, in
Elo. It shrinks at least by the factor by which the last step did, if no step is cut short."""

STEPS = 50
"""The maximum number of Newton steps after a game; later games continue from there."""

TOLERANCE = 1e-4
"""The tolerated residual of a step's equations: the next step makes up for it."""

OF_COLUMN = 1e-5
"""The tolerated residual of the equations for variances, and for the advantage of playing first."""

MOVED = 0.6
"""How far ratings may move, in log-odds, before the weights of games are recomputed."""

MAX_ADDED = 64
"""How many pairs are added to the information before it is reassembled or laid out anew."""

MAX_DENSE = 2000
SAMPLE = 512

DIGITS = 9
"""The decimals of relative gains; further ones are rounding and vary by machine."""


class LiveRatings:
    """The most probable ratings of some engines, by number, and their variances.

    Unlike `rate` it takes the advantage of playing first as known for the variances, and gives each
    rating a standard deviation of UNMET without games; the ratings themselves are those of `rate`,
    to 0.1 Elo. Expected games narrow the bars, but move no rating.
    """

    def __init__(self, engines: int, prior: float) -> None:
        self.engines = engines
        self.point = np.zeros(engines + 1)
        """The ratings in log-odds, and the advantage."""
        self.games = 0
        self.expected: Counter[tuple[int, int]] = Counter()
        """The games to come by pair, the lower number first."""
        self._prior = prior
        self._entry: dict[tuple[int, int], int] = {}
        self._met: dict[tuple[int, int], int] = {}
        self._opponents = np.zeros(engines)
        self._groups = np.arange(engines)
        """By engine: the number of the group that games connect it to."""
        self._seats = np.zeros((3, 64), dtype=np.int64)
        """By ordered pair: first, second, and the number of the unordered pair."""
        self._results = np.zeros((2, 64))
        """By ordered pair: games and points."""
        self._posterior: LogPosterior | None = None
        self._is_new = True
        self._new: list[tuple[int, int, int]] = []
        """Games whose information is not in the matrix yet, less those no longer expected."""
        self._added = 0
        self._laid_out = 0
        self._moved = 0.0
        self._since_variances = 0
        self._along: Array = np.zeros(engines)
        """How the advantage of playing first moves the ratings."""
        self._assemble()
        self._variances = np.full(engines, (UNMET / ELO_PER_NAT) ** 2)

    @property
    def elo(self) -> Array:
        """The ratings, in Elo."""
        ratings: Array = ELO_PER_NAT * self.point[:-1]
        return ratings

    @property
    def variances(self) -> Array:
        """The variances of the ratings around their mean, in square Elo."""
        # The mean is as uncertain as that of engines which never met.
        level = UNMET**2 / max(1, self.engines)
        around_mean: Array = np.maximum(0.0, ELO_PER_NAT**2 * self._variances - level)
        return around_mean

    def add(self, first: int, second: int, points: float, games: int = 1) -> None:
        """Count games with this many points for the first player; ratings move in `settle`."""
        pair = _pair(first, second)
        entry = self._entry.get((first, second))
        if entry is None:
            entry = self._enter(first, second)
        self._results[:, entry] += games, points
        self.games += games
        self._posterior, self._is_new = None, True
        known = min(games, self.expected[pair])
        self._wait_for(pair, -known)
        if games > known:
            self._new.append((first, second, games - known))

    def _enter(self, first: int, second: int) -> int:
        entry = self._entry[first, second] = len(self._entry)
        if entry == self._seats.shape[1]:
            self._seats = np.pad(self._seats, ((0, 0), (0, entry)))
            self._results = np.pad(self._results, ((0, 0), (0, entry)))
        pair = _pair(first, second)
        if pair not in self._met:
            self._met[pair] = len(self._met)
            self._opponents[[first, second]] += 1
            if self._groups[first] != self._groups[second]:
                self._groups[self._groups == self._groups[second]] = self._groups[first]
        self._seats[:, entry] = first, second, self._met[pair]
        return entry

    def expect(self, one: int, other: int, games: int) -> None:
        """Expect games, half of them in either seat; a negative number takes some back."""
        self._wait_for(_pair(one, other), games)
        self._new.append((one, other, games))

    def _wait_for(self, pair: tuple[int, int], games: int) -> None:
        self.expected[pair] += games
        if not self.expected[pair]:
            del self.expected[pair]

    def settle(self) -> None:
        """Bring ratings and variances up to date."""
        if len(self._new) > MAX_ADDED:
            self._assemble()
            self._climb()
            self._assemble()
            self.compute_variances()
            return
        for one, other, games in self._new:
            self._add_information(one, other, games)
        self._new = []
        if self._is_new:
            self._climb()
        if self._since_variances > self.engines // 8:
            self._assemble()
            self.compute_variances()

    def column(self, engine: int) -> Array:
        """Return the covariances of a rating with all, in square Elo, relative to a common level.

        Only their differences mean anything. The call also makes the engine's variance exact.
        """
        right = np.zeros(self.engines)
        right[engine] = 1.0
        column = self._information.solve(right, OF_COLUMN)
        self._variances[engine] = column[engine]
        level = UNMET**2 / max(1, self.engines)
        relative: Array = ELO_PER_NAT**2 * column - level
        return relative

    def covariance_with_mean(self, engines: NDArray[np.int64]) -> Array:
        """Return the covariances of all ratings with the mean of some, as `column` does."""
        right = np.zeros(self.engines)
        right[engines] = 1 / len(engines)
        mean = self._information.solve(right, OF_COLUMN)
        relative: Array = ELO_PER_NAT**2 * mean - UNMET**2 / max(1, self.engines)
        return relative

    def pair_information(self, engine: int) -> Array:
        """Return the information from a swapped pair of games with each engine, in 1 / Elo^2."""
        difference = self.point[engine] - self.point[:-1]
        return _information(difference, float(self.point[-1])) / ELO_PER_NAT**2

    def relative_gains(self, engine: int, others: NDArray[np.int64], with_level: Array) -> Array:
        """Return how much a swapped pair of games with each of `others` narrows an engine's bar.

        The greatest gain is 1, and gains have DIGITS decimals. `with_level` are the covariances of
        all ratings with the level from which ratings are measured.
        """
        # The column makes the engine's variance exact.
        column, variances = self.column(engine)[others], self.variances
        own = variances[engine]
        information = self.pair_information(engine)[others]
        spread = np.maximum(0.0, own + variances[others] - 2 * column)
        change = own - column - with_level[engine] + with_level[others]
        gain = change**2 * information / (1 + information * spread)
        relative: Array = np.round(gain / max(float(gain.max()), 1e-30), DIGITS)
        return relative

    def _add_information(self, one: int, other: int, games: int) -> None:
        difference = self.point[one] - self.point[other]
        weight = float(_information(difference, float(self.point[-1]))) * games / 2
        right = np.zeros(self.engines)
        right[one], right[other] = 1.0, -1.0
        step = self._information.solve(right, OF_COLUMN)
        self._variances -= weight * step**2 / (1 + weight * (step[one] - step[other]))
        self._information.add(one, other, weight)
        self._added += 1
        self._since_variances += 1
        if self._added > MAX_ADDED:
            self._assemble()

    def _climb(self) -> None:
        """Go to the peak of the posterior by Newton's method, in steps as in `Posterior.climb`."""
        posterior, self._is_new = self._log_posterior(), False
        before = 0.0
        for _ in range(STEPS):
            slope, weights = posterior.derivatives(self.point)
            self._curvature.reweigh(posterior.first, posterior.second, weights)
            # Where games tell little of it, the smallest error leads astray.
            self._take_advantage(weights)
            ratings = self._curvature.solve(slope[:-1], TOLERANCE)
            residual = slope[:-1] - self._curvature @ ratings
            shared = float(self._shared @ ratings + self._along @ residual)
            advantage = (slope[-1] - shared) / self._of_advantage
            step = np.append(ratings - advantage * self._along, advantage)
            reach = max(1.0, float(np.abs(posterior.log_odds(step)).max(initial=0.0)))
            self.point += step / reach
            longest = float(np.abs(step).max())
            self._moved += longest / reach
            shrinks = longest / before if longest < before else 1.0
            if longest * shrinks * ELO_PER_NAT < SETTLED:
                break
            before = longest if reach == 1.0 else 0.0
        if self._moved > MOVED:
            self._assemble()
        # Games say nothing about the level of engines that they do not connect.
        sums, sizes = np.bincount(self._groups, self.point[:-1]), np.bincount(self._groups)
        self.point[:-1] -= sums[self._groups] / sizes[self._groups]

    def _log_posterior(self) -> LogPosterior:
        if self._posterior is None:
            first, second, pair = self._seats[:, : len(self._entry)]
            games, points = self._results[:, : len(self._entry)]
            # As `virtual_draws` has it, which would have to sort the pairs.
            share = self._prior / np.maximum(1, self._opponents)
            together = np.bincount(pair, games, len(self._met))
            virtual = (share[first] + share[second]) * games / together[pair]
            self._posterior = LogPosterior(
                self.engines,
                (first, second),
                games + virtual,
                points + virtual / 2,
                has_advantage=True,
            )
        return self._posterior

    def _assemble(self) -> None:
        """Recompute the information, with the weights that games have at these ratings."""
        posterior = self._log_posterior()
        waiting = [(*pair, games) for pair, games in self.expected.items()]
        one, other, games = np.array(waiting, dtype=np.int64).reshape(-1, 3).T
        difference = self.point[one] - self.point[other]
        expected = _information(difference, float(self.point[-1])) * games / 2
        first, second = posterior.first, posterior.second
        weights = posterior.weights(self.point)
        if len(first) - self._laid_out > MAX_ADDED or not self._laid_out:
            # Ratings have no information on their level, which would keep long chains from moving.
            self._curvature = Laplacian(self.engines, first, second, weights)
            ridge = (ELO_PER_NAT / UNMET) ** 2
            self._information = Laplacian(self.engines, first, second, weights, ridge)
            self._laid_out = len(first)
        self._curvature.reweigh(first, second, weights)
        self._information.reweigh(
            np.concatenate([first, one]),
            np.concatenate([second, other]),
            np.concatenate([weights, expected]),
        )
        self._take_advantage(weights)
        self._new, self._added, self._moved = [], 0, 0.0

    def _take_advantage(self, weights: Array) -> None:
        """Solve for what the advantage of playing first shares with the ratings."""
        posterior = self._log_posterior()
        self._shared = posterior.taken(weights)[:-1]
        """The information that ratings share with the advantage."""
        along = self._along = self._curvature.solve(self._shared, OF_COLUMN, self._along)
        # The error is the square of the solution's, and never makes the rest too small.
        shared = float((2 * self._shared - self._curvature @ along) @ along)
        self._of_advantage = float(weights.sum()) + posterior.prior_information - shared

    def compute_variances(self) -> None:
        """Recompute all variances."""
        self._since_variances = 0
        if self.engines <= MAX_DENSE:
            self._variances = np.diag(np.linalg.inv(self._information.dense())).copy()
        else:
            self._variances = self._information.diagonal_of_inverse(SAMPLE)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _information(difference: Array, advantage: float) -> Array:
    """Return the information from a swapped pair of games, about differences in log-odds."""
    return result_variance(difference + advantage) + result_variance(difference - advantage)


def result_variance(odds: Array) -> Array:
    """Return p (1 - p) for the chance p with these log-odds, exact in both tails."""
    small = np.exp(-np.abs(odds))
    variance: Array = small / (1 + small) ** 2
    return variance
