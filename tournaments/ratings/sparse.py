"""The information of thousands of ratings as a sparse matrix, and equations solved in it.

The information of ratings is the Laplacian of the graph of the pairs that met, weighted by their
games. Conjugate gradients solve equations in it with a few dozen products of the matrix and a
vector, whereas the time for an inverse grows with the cube of the number of engines. If games
connect engines in long chains, they take many more steps; but then the matrix has sparse factors,
which are computed instead (SuperLU). Both come from SciPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.games import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.tournaments.ratings.ordered_pairs import Array, Indices
    from oddly.tournaments.ratings.posterior import LogPosterior

SLOW = 400
"""Factors are computed after this many steps of conjugate gradients, and from then on at once."""

LEVEL = 1e-10
"""The share of an engine's information that the level of connected engines gets, having none."""

ROUNDING = 1e-14
"""Right sides below this share of the information count as zero."""


def needs_scipy(feature: str) -> None:
    """Raise MissingExtraError, which names the feature, if SciPy is missing."""
    try:
        import scipy.sparse.linalg  # noqa: F401
    except ImportError:
        raise MissingExtraError(feature, "scipy", "large") from None


def has_scipy() -> bool:
    """Return whether SciPy is installed."""
    try:
        needs_scipy("sparse matrices")
    except MissingExtraError:
        return False
    return True


class Laplacian:
    """The information of pairs of engines about the differences of their ratings.

    `one`, `other` and `weights` describe the pairs, some of which may be equal. `ridge` is
    additional information on each rating.
    """

    def __init__(
        self, engines: int, one: Indices, other: Indices, weights: Array, ridge: float = 0.0
    ) -> None:
        self.engines = engines
        self.ridge = ridge
        self._factors: Any = None
        self._needs_factors = False
        self._lay_out(one, other)
        self.reweigh(one, other, weights)

    def _lay_out(self, one: Indices, other: Indices) -> None:
        """Give each pair a place in the matrix."""
        from scipy.sparse import csr_array

        size = self.engines
        rows, columns = np.concatenate([one, other]), np.concatenate([other, one])
        places, self._place_of = np.unique(rows * max(1, size) + columns, return_inverse=True)
        rows, columns = np.divmod(places, max(1, size))
        starts = np.searchsorted(rows, np.arange(size + 1))
        self._met = csr_array((np.zeros(len(places)), columns, starts), (size, size))

    def reweigh(self, one: Indices, other: Indices, weights: Array) -> None:
        """Replace the pairs by these; those that have a place in the matrix come first."""
        self._pairs, self._weights = (one, other), weights
        self._diagonal: Array = self.ridge + np.zeros(self.engines)
        for side in self._pairs:
            self._diagonal += np.bincount(side, weights, self.engines)
        laid_out = weights[: len(self._place_of) // 2]
        both = np.concatenate([laid_out, laid_out])
        self._met.data = np.bincount(self._place_of, both, len(self._met.data))
        self._factors = None

    def add(self, one: int, other: int, weight: float) -> None:
        """Add information about the difference of two ratings, or take some away."""
        first, second = self._pairs
        self._pairs = np.append(first, one), np.append(second, other)
        self._weights = np.append(self._weights, weight)
        self._diagonal[[one, other]] += weight
        self._factors = None

    def _added(self) -> tuple[Indices, Indices, Array]:
        """Return the pairs that have no place in the matrix."""
        laid_out = len(self._place_of) // 2
        one, other = self._pairs
        return one[laid_out:], other[laid_out:], self._weights[laid_out:]

    def __matmul__(self, vector: Array) -> Array:
        """Return the product with a vector."""
        product: Array = self._diagonal * vector - self._met @ vector
        one, other, weights = self._added()
        np.subtract.at(product, one, weights * vector[other])
        np.subtract.at(product, other, weights * vector[one])
        return product

    def solve(self, right: Array, tolerance: float = 1e-8, start: Array | None = None) -> Array:
        """Return the solution for a right side; without a ridge, its mean means nothing.

        `tolerance` is the length of the residual, relative to the right side. `start` is a guess
        at the solution.
        """
        from scipy.sparse.linalg import LinearOperator, cg

        if np.abs(right).max(initial=0.0) <= ROUNDING * self._diagonal.max(initial=0.0):
            # What rounding has left, perhaps on the level alone, about which nothing is known.
            return np.zeros(self.engines)
        if not self._needs_factors:
            size = (self.engines, self.engines)
            scale = 1 / np.where(self._diagonal > 0, self._diagonal, 1.0)
            # A right side that is hardly more than rounding may leave it nothing to divide by.
            with np.errstate(divide="ignore", invalid="ignore"):
                solution, failed = cg(
                    LinearOperator(size, matvec=self.__matmul__, dtype=np.float64),
                    right,
                    start,
                    rtol=tolerance,
                    maxiter=SLOW,
                    M=LinearOperator(size, matvec=lambda vector: scale * vector, dtype=np.float64),
                )
            if not failed and np.isfinite(solution).all():
                return np.asarray(solution)
        if self._factors is None:
            self.factor()
        return np.asarray(self._factors.solve(right))

    def factor(self) -> None:
        """Compute the factors of the matrix; all further equations are solved with factors."""
        from scipy.sparse import coo_array, csc_array, diags_array
        from scipy.sparse.linalg import splu

        self._needs_factors = True
        one, other, weights = self._added()
        both = np.concatenate([one, other]), np.concatenate([other, one])
        added = coo_array((np.concatenate([weights, weights]), both), self._met.shape)
        # An engine without games has no information at all.
        level = np.where(self._diagonal > 0, LEVEL * self._diagonal.mean(), 1.0)
        self._factors = splu(
            csc_array(diags_array(self._diagonal + level) - self._met - added),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def diagonal_of_inverse(self, number: int) -> Array:
        """Return an estimate of the diagonal of the inverse, from `number` solutions.

        Each is a draw from a normal distribution with that covariance, see `sample` below. The mean
        of such a draw is independent of the rest, and its variance is known. A ridge is required.
        """
        die = np.random.default_rng(number)
        one, other = self._pairs
        deviations = np.sqrt(np.maximum(0.0, self._weights))
        squares = np.zeros(self.engines)
        for _ in range(number):
            excess = deviations * die.choice([-1.0, 1.0], len(deviations))
            right = np.sqrt(self.ridge) * die.choice([-1.0, 1.0], self.engines)
            right += np.bincount(one, excess, self.engines)
            right -= np.bincount(other, excess, self.engines)
            drawn = self.solve(right, 1e-4)
            squares += (drawn - drawn.mean()) ** 2
        estimate: Array = squares / number + 1 / (self.engines * self.ridge)
        return estimate

    def dense(self) -> Array:
        """Return the whole matrix."""
        matrix: Array = np.diag(self._diagonal) - self._met.toarray()
        one, other, weights = self._added()
        np.subtract.at(matrix, (one, other), weights)
        np.subtract.at(matrix, (other, one), weights)
        return matrix


class SparseInformation:
    """The information of all ratings and of the advantage of playing first, at a point.

    Engines that games do not connect have no level in common: the mean of each of the `groups`
    stays 0.
    """

    def __init__(
        self, posterior: LogPosterior, point: Array, groups: Indices, tolerance: float = 1e-8
    ) -> None:
        self._posterior = posterior
        self._sizes = np.bincount(groups)
        self._groups, self._tolerance = groups, tolerance
        self.weights = posterior.weights(point)
        engines, first, second = posterior.engines, posterior.first, posterior.second
        self._laplacian = Laplacian(engines, first, second, self.weights)
        self._of_advantage = posterior.prior_information
        self._shared = np.zeros(engines)
        if posterior.has_advantage:
            self._of_advantage += float(self.weights.sum())
            self._shared += np.bincount(first, self.weights, engines)
            self._shared -= np.bincount(second, self.weights, engines)
        self._moved = self._ratings(self._shared)
        self._rest = self._of_advantage - float(self._shared @ self._moved)

    def _ratings(self, right: Array) -> Array:
        if not right.any():
            return np.zeros_like(right)
        solution = self._laplacian.solve(right, self._tolerance)
        means = np.bincount(self._groups, solution, len(self._sizes)) / self._sizes
        centred: Array = solution - means[self._groups]
        return centred

    def solve(self, right: Array) -> Array:
        """Return the inverse of the information times a vector whose sum over each group is 0."""
        ratings = self._ratings(right[:-1])
        advantage = (right[-1] - float(self._shared @ ratings)) / self._rest
        return np.append(ratings - advantage * self._moved, advantage)

    def __matmul__(self, vector: Array) -> Array:
        """Return the product with the covariance, as `solve` does."""
        return self.solve(vector)

    def sample(self, draw: Callable[[np.random.Generator], Array], number: int) -> Array:
        """Return points drawn around 0 (number x all), whose covariance is A^-1 B A^-1.

        A is the information, and `draw` draws gradients with the covariance B. The points give an
        estimate of the variance of any sum of ratings: Spielman and Srivastava, "Graph
        Sparsification by Effective Resistances", SIAM Journal on Computing 40 (2011). Draws with
        the same number are the same.
        """
        die = np.random.default_rng(number)
        drawn = np.empty((number, self._posterior.engines + 1))
        for row in drawn:
            row[:] = self.solve(draw(die))
        return drawn
