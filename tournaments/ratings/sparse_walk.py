"""The fit of ratings that move, with a hundred thousand states and a million games.

With given ratings of all other engines, the information of one engine's states is a band of width
1. Its factors, for all engines at once, are the preconditioner of conjugate gradients in the whole
information, by SciPy. No game tells what all engines of a period have in common, only the drift
does; so it is solved for separately, as one more engine (a coarse space of one vector for each
period: Nicolaides, "Deflation of Conjugate Gradients", *SIAM Journal on Numerical Analysis* 24,
1987).

The variances come from draws from the posterior, only a part of which is left to chance (Sidén and
others, "Efficient Covariance Approximations for Large Sparse Precision Matrices", *Journal of
Computational and Graphical Statistics* 27, 2018): the variance of an engine's rating with given
opponents is exact, and only what the opponents' uncertainty adds is the mean over the draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.posterior import MAX_STEPS
from oddly.tournaments.ratings.random_walk import ROUNDS, Fitted, WalkPosterior

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse.linalg import SuperLU

    from oddly.tournaments.ratings.ordered_pairs import Array

TOGETHER = 4
"""How many equations are solved at a time."""

FEWEST_DRAWS, MAX_DRAWS, DRAWN = 48, 512, 20_000_000
"""Draws for variances, of DRAWN results in all; 4 are enough for the slope of the drift."""

PRECISION = 1e-5
"""The search ends with a step smaller than this, in units of log-odds (0.002 Elo)."""

EXACT, ROUGH = 1e-3, 1e-2
"""The tolerated residuals, as shares of the right side: of steps to the peak, and of draws."""

NOTHING = 1e-12
"""The residual that rounding alone leaves, in squares of standard deviations."""

MAX_ITERATIONS = 2000


class SparseWalk:
    """The fit by sparse matrices."""

    def __init__(self, posterior: WalkPosterior) -> None:
        from scipy.sparse import csr_array

        self._posterior = posterior
        size = posterior.engines
        # Entries are sorted by the first player's states, as the rows of this matrix are.
        starts = np.searchsorted(posterior.first, np.arange(size + 1))
        weights = np.zeros(len(posterior.second))
        self._met = csr_array((weights, posterior.second, starts.astype(np.int32)), (size, size))
        self._point = np.zeros(size + 1)
        _, self._period = np.unique(posterior.day, return_inverse=True)
        members = (np.ones(size), self._period, np.arange(size + 1))
        self._in_period = csr_array(members, (size, int(self._period.max()) + 1))

    def allow_for_draws(self) -> None:
        """Let drawn games tell more than decided ones."""
        self._posterior.allow_for_draws(self._point)

    def _assemble(self) -> None:
        """Compute the information at the point, and the factors of its band."""
        from scipy.linalg import cholesky_banded

        posterior = self._posterior
        weights = posterior.weights(self._point)
        self._met.data = weights
        self._diagonal = posterior.diagonal(weights)
        taken = posterior.taken(weights)
        self._of_advantage = posterior.prior_information + float(taken[-1])
        self._shared = taken[:-1]
        band = np.zeros((2, posterior.engines))
        band[0] = self._diagonal
        band[1, posterior.before] = -posterior.tension
        self._factors = cholesky_banded(band, lower=True, overwrite_ab=True)

    def _conditioned(self, right: Array) -> Array:
        """Return the solution if all engines but one, and the advantage, are given."""
        from scipy.linalg import cho_solve_banded

        found = np.empty_like(right)
        found[:-1] = cho_solve_banded((self._factors, True), right[:-1], check_finite=False)
        found[-1] = right[-1] / self._of_advantage
        return found

    def _approximated(self, right: Array) -> Array:
        """Return an approximate solution: for each engine alone, and for what periods share."""
        found = self._conditioned(right)
        shared = self._levels.solve(self._in_period.T @ right[:-1])
        found[:-1] += self._in_period @ shared
        return found

    def _factor_levels(self) -> SuperLU:
        """Return the factors of the information on what the engines of each period share."""
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import splu

        one, tension = self._period[self._posterior.before], self._posterior.tension
        other = self._period[self._posterior.before + 1]
        size = self._in_period.shape[1]
        # Each part that no engine connects in time has a level that is free.
        every = np.arange(size)
        free = np.full(size, 1e-6 * (1.0 + float(tension.sum()) / size))
        values = np.concatenate([tension, tension, -tension, -tension, free])
        rows = np.concatenate([one, other, one, other, every])
        columns = np.concatenate([one, other, other, one, every])
        return splu(coo_array((values, (rows, columns)), (size, size)).tocsc())

    def _product(self, points: Array) -> Array:
        """Return the information times points, which are columns."""
        posterior, before = self._posterior, self._posterior.before
        found = np.empty_like(points)
        states = points[:-1]
        found[:-1] = self._diagonal[:, None] * states
        found[:-1] -= self._met @ states
        found[:-1] -= self._met.T @ states
        found[before] -= posterior.tension[:, None] * points[before + 1]
        found[before + 1] -= posterior.tension[:, None] * points[before]
        found[:-1] += self._shared[:, None] * points[-1]
        found[-1] = self._shared @ states + self._of_advantage * points[-1]
        return found

    def _solve(self, right: Array, tolerance: float) -> Array:
        """Return the solutions for right sides, which are columns, by conjugate gradients."""
        found, left = np.zeros_like(right), right.copy()
        ahead = self._approximated(left)
        way = ahead.copy()
        size = np.sum(left * ahead, axis=0)
        enough = tolerance**2 * size + NOTHING
        for _ in range(MAX_ITERATIONS):
            if np.all(size <= enough):
                return found
            product = self._product(way)
            # A column that is solved, or is 0, stays.
            steepness = np.sum(way * product, axis=0)
            step = np.where(size > enough, size / np.where(steepness > 0, steepness, 1.0), 0.0)
            found += step * way
            left -= step * product
            ahead = self._approximated(left)
            before, size = size, np.sum(left * ahead, axis=0)
            way *= size / np.where(before > 0, before, 1.0)
            way += ahead
        raise ArithmeticError(f"no ratings found in {MAX_ITERATIONS} iterations")

    def climb(self, drift: float) -> None:
        """Find the peak with a drift, starting at the last peak. Raises ArithmeticError.

        Afterwards the information is that of the peak.
        """
        posterior = self._posterior
        posterior.set_drift(drift)
        self._levels = self._factor_levels()

        def step_at(point: Array) -> Array:
            self._assemble()
            found: Array = self._solve(posterior.gradient(point)[:, None], EXACT)[:, 0]
            return found

        posterior.climb(self._point, step_at, PRECISION, MAX_STEPS)

    def _given_opponents(self) -> tuple[Array, Array]:
        """Return the variances of states, and covariances with the next, given the opponents."""
        from scipy.linalg import solve_banded

        # The inverse of a band of width 1 from its factors, from the last state backwards.
        main, below = self._factors
        ratio = np.zeros_like(main)
        ratio[:-1] = below[:-1] / main[:-1]
        band = np.ones((2, len(main)))
        band[0, 1:] = -(ratio[:-1] ** 2)
        variances = solve_banded((0, 1), band, 1 / main**2)
        before = self._posterior.before
        return variances, -ratio[before] * variances[before + 1]

    def _variances_of_ratings(self) -> Array:
        """Return the variances of ratings, given the opponents."""
        from scipy.linalg import solve_banded

        posterior = self._posterior
        variances, shared = self._given_opponents()
        if len(posterior.engine) == len(variances):
            return variances
        # A state's covariance with later ones is proportional to that of the next state.
        before, later = posterior.before, posterior.before + 1
        together = posterior.rating[before] == posterior.rating[later]
        band = np.ones((2, len(variances)))
        band[0] = 0.0
        band[0, later] = np.where(together, -shared / variances[later], 0.0)
        with_later = solve_banded((0, 1), band, variances)
        # Of all pairs of a rating's states, each but those of a state with itself counts twice.
        return posterior.ratings(posterior.share * (2 * with_later - variances))

    def _draws(self, number: int) -> Iterator[tuple[Array, Array]]:
        """Yield draws around the peak, and the expected states of each engine in them.

        The expectation is conditional on the other engines. Draws with the same number are the
        same.
        """
        posterior = self._posterior
        die = np.random.default_rng(number)
        deviations, walked = np.sqrt(self._met.data), np.sqrt(posterior.tension)
        right = np.empty((posterior.engines + 1, TOGETHER))
        for _ in range(number // TOGETHER):
            for column in right.T:
                signs = die.integers(0, 2, len(deviations), dtype=np.int8) * 2 - 1
                drawn = posterior.taken(deviations * signs)
                drawn[-1] += math.sqrt(posterior.prior_information) * die.choice([-1.0, 1.0])
                pull = walked * die.choice([-1.0, 1.0], len(walked))
                drawn[posterior.before] += pull
                drawn[posterior.before + 1] -= pull
                column[:] = drawn
            points = self._solve(right, ROUGH)
            yield points, points - self._conditioned(right)

    def slope(self, drift: float) -> float:
        """Return how fast the log-likelihood of a drift rises with the drift's logarithm.

        The ratings are integrated out by Laplace's approximation. One part of the slope is by how
        much the moves and their variances exceed what the drift predicts, as in the algorithm of
        Dempster, Laird and Rubin (*Journal of the Royal Statistical Society* B 39, 1977). The other
        is that a greater drift moves the peak, and with it the information of the games.
        """
        self.climb(drift)
        posterior, before = self._posterior, self._posterior.before
        variances, shared = self._given_opponents()
        moves = posterior.moves(self._point)
        squares = moves**2 + variances[before] + variances[before + 1] - 2 * shared
        gained, information = self._gained(moves), 0.0
        for points, expected in self._draws(TOGETHER):
            squares += np.mean((expected[before + 1] - expected[before]) ** 2, axis=1)
            for point in points.T:
                information += float(np.sum(gained * posterior.log_odds(point) ** 2)) / TOGETHER
        return float(np.sum(posterior.tension * squares)) - len(before) - information / 2

    def _gained(self, moves: Array) -> Array:
        """Return how fast the information of each entry rises with the drift's logarithm."""
        posterior = self._posterior
        pull = 2 * posterior.tension * moves
        right = np.zeros((posterior.engines + 1, 1))
        right[posterior.before, 0] -= pull
        right[posterior.before + 1, 0] += pull
        moved = posterior.log_odds(self._solve(right, EXACT)[:, 0])
        gained: Array = moved * posterior.slopes_of_weights(self._point)
        return gained

    def fitted(self, drift: float) -> Fitted:
        """Return the ratings with a drift, and their variances."""
        posterior = self._posterior
        for _ in range(ROUNDS):
            self.climb(drift)
            own, _ = self._given_opponents()
            posterior.average_over(own[posterior.first] + own[posterior.second])
        self.climb(drift)
        first, last = posterior.first_rating, posterior.last_rating
        engine, group = posterior.engine, posterior.groups
        share = (1 / posterior.group_sizes[group])[engine]
        ends = np.zeros((posterior.engines + 1, 2))
        for end, ratings in zip(ends.T, (first, last), strict=True):
            end[:-1] = np.where(np.isin(posterior.rating, ratings), posterior.share, 0.0)
        with_first, with_last = map(posterior.ratings, self._conditioned(ends)[:-1].T)
        del ends
        own = self._variances_of_ratings()
        variance = own + share**2 * own[last][engine] - 2 * share * with_last
        moved_variance = own + own[first][engine] - 2 * with_first
        number = DRAWN // len(self._met.data) // TOGETHER * TOGETHER
        number = min(MAX_DRAWS, max(FEWEST_DRAWS, number))
        for points, expected in self._draws(number):
            for point, mean in zip(
                map(posterior.ratings, points[:-1].T),
                map(posterior.ratings, expected[:-1].T),
                strict=True,
            ):
                # The engine's own last rating in the mean of all is the expected one too.
                change = (point[last] - mean[last])[engine]
                off = mean - posterior.means_of_last(point) + share * change
                variance += off**2 / number
                moved_variance += (mean - mean[first][engine]) ** 2 / number
        elo = posterior.ratings(self._point[:-1])
        moves = self._solve(posterior.pull(self._point)[:, None], EXACT)[:-1, 0]
        posterior.average_over(None)
        fitted = Fitted(
            elo - posterior.means_of_last(elo),
            variance,
            elo - elo[first][engine],
            np.maximum(moved_variance, 0.0),
            float(self._point[-1]),
        )
        return posterior.allowing_for_prior(fitted, moves)
