"""The information of thousands of ratings as a sparse matrix, and equations solved in it.

The information of ratings is the Laplacian of the graph of the pairs that met, each with the weight
that its games have. Conjugate gradients solve equations in it, a few dozen products of a matrix and
a vector, where an inverse would take time with the cube of the number of engines. Where games
connect engines in long chains they take many more steps; but such a matrix has sparse factors, and
these are computed instead (SuperLU). Where games change the matrix afterwards, a few steps with
these factors as preconditioner will do. All come from SciPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.games import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.posterior import LogPosterior

    Array = NDArray[np.floating[Any]]
    Indices = NDArray[np.integer[Any]]

SLOW = 400
"""Steps of conjugate gradients after which factors are computed."""

SLOW_BY_FACTORS = 40
"""The same where there are factors from which the matrix has moved away a little."""

LEVEL = 1e-10
"""The information on the level of connected engines, as a share of an engine's, which has none."""

ROUNDING = 1e-14
"""Right sides of that size, as a share of the information, are taken for zero."""


def needs_scipy(feature: str) -> None:
    """Raise MissingExtraError, which names the feature, without SciPy."""
    try:
        import scipy.sparse.linalg  # noqa: F401
    except ImportError:
        raise MissingExtraError(feature, "scipy", "large") from None


def has_scipy() -> bool:
    """Return whether there is SciPy."""
    try:
        needs_scipy("sparse matrices")
    except MissingExtraError:
        return False
    return True


class PairWeights:
    """How much games tell about the difference of each two ratings, as a symmetric matrix.

    `one`, `other` and `weights` are those of the pairs, of which some may be equal.
    """

    def __init__(self, engines: int, one: Indices, other: Indices, weights: Array) -> None:
        from scipy.sparse import csr_array

        self.engines = engines
        self.changes = 0
        """How often they have changed."""
        self._one, self._other = one, other
        self._weights = np.array(weights, dtype=np.float64)
        codes = np.concatenate([one * engines + other, other * engines + one])
        cells, places = np.unique(codes, return_inverse=True)
        self._places = places.reshape(2, len(one))
        """Where the matrix has each pair, in either order."""
        rows, columns = np.divmod(cells, max(1, engines))
        starts = np.searchsorted(rows, np.arange(engines + 1))
        data = np.zeros(len(cells)) + np.bincount(places, np.tile(self._weights, 2), len(cells))
        self._matrix = csr_array((data, columns, starts), (engines, engines))
        self.of_engines: Array = np.zeros(engines)
        """The sum of the weights of each engine."""
        for seat in (one, other):
            self.of_engines += np.bincount(seat, self._weights, engines)

    def add(self, one: int, other: int, weight: float) -> None:
        """Add a pair, which may be there already; a negative weight takes some away."""
        self._one, self._other = np.append(self._one, one), np.append(self._other, other)
        self._weights = np.append(self._weights, weight)
        self.of_engines[[one, other]] += weight
        self.changes += 1

    def reweigh(self, pairs: Indices, weights: Array) -> None:
        """Give other weights to some of the pairs, by their numbers."""
        change = weights - self._weights[pairs]
        self._weights[pairs] = weights
        is_placed = pairs < self._places.shape[1]
        for places, seat in zip(self._places, (self._one, self._other), strict=True):
            np.add.at(self._matrix.data, places[pairs[is_placed]], change[is_placed])
            np.add.at(self.of_engines, seat[pairs], change)
        self.changes += 1

    def pairs(self) -> tuple[Indices, Indices, Array]:
        """Return the pairs and their weights."""
        return self._one, self._other, self._weights

    def __matmul__(self, vector: Array) -> Array:
        """Return for each engine the weighted sum of what the others have in a vector."""
        product: Array = self._matrix @ vector
        added = self._places.shape[1]
        if added < len(self._one):
            one, other = self._one[added:], self._other[added:]
            np.add.at(product, one, self._weights[added:] * vector[other])
            np.add.at(product, other, self._weights[added:] * vector[one])
        return product


class Laplacian:
    """The information of pairs of engines about the differences of their ratings.

    `weights` may change. `ridge` is information on each rating that is there besides.
    """

    def __init__(self, weights: PairWeights, ridge: float = 0.0) -> None:
        self.engines, self.weights, self.ridge = weights.engines, weights, ridge
        self._factors: Any = None
        self._factored = 0
        """The changes of the weights when factors were computed."""

    @property
    def _diagonal(self) -> Array:
        diagonal: Array = self.weights.of_engines + self.ridge
        return diagonal

    def __matmul__(self, vector: Array) -> Array:
        """Return the product with a vector."""
        product: Array = self._diagonal * vector - self.weights @ vector
        return product

    def solve(self, right: Array, tolerance: float = 1e-8) -> Array:
        """Return the solution for a right side; without a ridge, its mean means nothing.

        `tolerance` is the length of what remains, relative to the right side.
        """
        diagonal = self._diagonal
        if np.abs(right).max(initial=0.0) <= ROUNDING * diagonal.max(initial=0.0):
            # What rounding has left, perhaps on the level alone, of which there is no information.
            return np.zeros(self.engines)
        if self._factors is None:
            scale = 1 / np.where(diagonal > 0, diagonal, 1.0)
            solution = self._iterated(right, tolerance, lambda vector: scale * vector, SLOW)
        elif self._factored != self.weights.changes:
            solution = self._iterated(right, tolerance, self._factors.solve, SLOW_BY_FACTORS)
        else:
            return np.asarray(self._factors.solve(right))
        if solution is None:
            self.factor()
            return np.asarray(self._factors.solve(right))
        return solution

    def _iterated(
        self, right: Array, tolerance: float, near: Callable[[Array], Array], most: int
    ) -> Array | None:
        """Return the solution by conjugate gradients, None if they take more than `most` steps.

        `near` solves equations that are near these.
        """
        from scipy.sparse.linalg import LinearOperator, cg

        size = (self.engines, self.engines)
        solution, failed = cg(
            LinearOperator(size, matvec=self.__matmul__, dtype=np.float64),
            right,
            rtol=tolerance,
            maxiter=most,
            M=LinearOperator(size, matvec=near, dtype=np.float64),
        )
        return None if failed else np.asarray(solution)

    def factor(self) -> None:
        """Compute the factors of the matrix, by which all further equations are solved."""
        from scipy.sparse.linalg import splu

        diagonal = self._diagonal
        # An engine without games has no information at all.
        level = np.where(diagonal > 0, LEVEL * diagonal.mean(), 1.0)
        self._factors = splu(
            self._sparse(level).tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        self._factored = self.weights.changes

    def _sparse(self, more: Array) -> Any:  # noqa: ANN401 - SciPy's matrices have no types
        """Return the matrix with `more` on its diagonal."""
        from scipy.sparse import coo_array

        one, other, weights = self.weights.pairs()
        engines = np.arange(self.engines)
        rows, columns = np.concatenate([one, other, engines]), np.concatenate([other, one, engines])
        values = np.concatenate([-weights, -weights, self._diagonal + more])
        return coo_array((values, (rows, columns)), (self.engines, self.engines))

    def diagonal_of_inverse(self, number: int) -> Array:
        """Return an estimate of the diagonal of the inverse, from as many solutions.

        Each is a draw from a normal distribution with that covariance, see `sample` below. The mean
        of such a draw is independent of the rest, and its variance known. There must be a ridge.
        """
        die = np.random.default_rng(number)
        one, other, weights = self.weights.pairs()
        deviations = np.sqrt(np.maximum(0.0, weights))
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
        matrix: Array = self._sparse(np.zeros(self.engines)).toarray()
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
        self._laplacian = Laplacian(PairWeights(engines, first, second, self.weights))
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
        """Return the same, as the product with the covariance."""
        return self.solve(vector)

    def sample(self, factors: Array, number: int) -> Array:
        """Return points drawn around 0 (number x all), of which the covariance is A^-1 B A^-1.

        A is the information, and B has each ordered pair's times one of `factors`. From them the
        variance of any sum of ratings can be estimated: Spielman and Srivastava, "Graph
        Sparsification by Effective Resistances", SIAM Journal on Computing 40 (2011). Draws with
        the same number are the same.
        """
        posterior, die = self._posterior, np.random.default_rng(number)
        deviations = np.sqrt(self.weights * factors)
        drawn = np.empty((number, posterior.engines + 1))
        for row in drawn:
            excess = deviations * die.choice([-1.0, 1.0], len(deviations))
            right = posterior.taken(excess)
            right[-1] += np.sqrt(posterior.prior_information) * die.choice([-1.0, 1.0])
            row[:] = self.solve(right)
        return drawn
