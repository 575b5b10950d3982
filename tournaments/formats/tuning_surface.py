"""A quadratic response surface: how strong an engine is at each place, from pairs of games.

The strength of an engine with k options at a place u, in log-odds and relative to the centre, is

    f(u) = sum_j g_j u_j + sum_j q_j u_j^2 + sum_{i<j} c_ij u_i u_j,    each u_j from -1 to 1,

after Box and Wilson, "On the experimental attainment of optimum conditions", Journal of the Royal
Statistical Society B 13, 1951. The expected share of the points of a pair is the logistic function
of f(one) - f(other), as for Elo. The two games of a pair have an opening in common, so a pair is
one observation. Its variance is that of two independent games times a dispersion, which the
residuals show (McCullagh and Nelder, *Generalized Linear Models*, 1989, 4.5): draws and openings
that favour a side make it smaller.

A weak ridge holds the coefficients near 0: each has a normal prior, of which one standard deviation
means a loss of 400 Elo half a range away from the centre. So a few pairs won by one side do not
send a coefficient to infinity, and products of options that hardly any game has tried stay small.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oddly.tournaments.formats.spsa import PairAtPlaces, Places

    Array = NDArray[np.float64]

RIDGE = 400 / ELO_PER_NAT
"""The standard deviation of q and c, in log-odds; that of g is twice this."""

FREE = 4000 / ELO_PER_NAT
"""The standard deviation of the opponent's strength, which leaves it practically free."""

MAX_CROSSED = 12
"""With more options than this, the surface has no products c_ij: they would be too many."""

USUAL_PAIRS = 10
"""The dispersion is estimated as if this many more pairs had a dispersion of 1."""

GAMES = 2
"""The games of a pair."""

MAX_STEPS = 100
MAX_STEP = 2.0
"""No step moves the log-odds of a pair by more than this."""

PRECISION = 1e-9
SWEEPS = 40


@dataclass(frozen=True)
class Surface:
    """A fitted surface, with the covariance of its coefficients g, q and c, in log-odds."""

    options: int
    coefficients: Array
    covariance: Array
    dispersion: float

    @property
    def slope(self) -> Array:
        """The gradient at the centre."""
        return self.coefficients[: self.options]

    @property
    def curvature(self) -> Array:
        """The matrix of second derivatives."""
        k = self.options
        matrix = np.diag(2 * self.coefficients[k : 2 * k])
        for value, (i, j) in zip(self.coefficients[2 * k :], crossed(k), strict=True):
            matrix[i, j] = matrix[j, i] = value
        return matrix

    def heights(self, points: Array) -> Array:
        """Return f at each row of `points`, from -1 to 1."""
        height: Array = features(points) @ self.coefficients
        return height

    def climbed(self, points: Array, fixed: int | None = None) -> Array:
        """Return a local maximum for each row of `points`, with the option `fixed` unchanged.

        The options move to their best values one after the other; for a quadratic these are known.
        """
        slope, curvature, points = self.slope, self.curvature, points.copy()
        moving = [j for j in range(self.options) if j != fixed]
        for _ in range(SWEEPS if len(moving) > 1 else 1):
            for j in moving:
                bend = curvature[j, j]
                towards = slope[j] + points @ curvature[j] - bend * points[:, j]
                ends = np.where(towards < 0, -1.0, 1.0)
                points[:, j] = np.clip(-towards / bend, -1, 1) if bend < 0 else ends
        return points


def crossed(options: int) -> list[tuple[int, int]]:
    """Return the pairs of options whose product is in the surface."""
    return list(combinations(range(options), 2)) if options <= MAX_CROSSED else []


def features(points: Array) -> Array:
    """Return u_j, u_j^2 and u_i u_j for each row of `points`."""
    columns = [points, points**2]
    columns += [points[:, [i]] * points[:, [j]] for i, j in crossed(points.shape[1])]
    return np.hstack(columns)


def gradient_rows(point: Array) -> Array:
    """Return the matrix that turns coefficients into the gradient at `point`."""
    k = len(point)
    pairs = crossed(k)
    rows = np.zeros((k, 2 * k + len(pairs)))
    for j in range(k):
        rows[j, [j, k + j]] = 1, 2 * point[j]
    for number, (i, j) in enumerate(pairs, start=2 * k):
        rows[i, number], rows[j, number] = point[j], point[i]
    return rows


def centred(places: Sequence[Places]) -> Array:
    """Return places from 0 to 1 as rows from -1 to 1."""
    return 2 * np.array(places, dtype=np.float64) - 1


def fitted(pairs: Sequence[PairAtPlaces]) -> Surface:
    """Return the surface of greatest penalised likelihood, of one pair or more.

    Pairs with a copy of an earlier game count for the surface, but not for its certainty: the
    covariance is that of the number of pairs without them.
    """
    ones = features(centred([pair.one for pair in pairs]))
    # An opponent is somewhere on the surface's scale: minus its strength is the last coefficient.
    against = np.array([float(pair.other is None) for pair in pairs])
    others = features(centred([pair.other or pair.one for pair in pairs]))
    rows = ones - np.where(against[:, None], 0.0, others)
    k = len(pairs[0].one)
    widths = [2 * RIDGE] * k + [RIDGE] * (rows.shape[1] - k)
    if against.any():
        rows, widths = np.column_stack([rows, against]), [*widths, FREE]
    ridge = np.array(widths) ** -2.0
    shares = np.array([pair.share for pair in pairs])
    new = sum(not pair.is_copy for pair in pairs) / len(pairs)
    dispersion = _dispersion(rows, shares, ridge)
    precision = max(new, 1 / len(pairs)) / dispersion
    coefficients, information = _peak(rows, shares, ridge, precision)
    size = 2 * k + len(crossed(k))
    covariance = np.linalg.inv(information)[:size, :size].astype(np.float64)
    return Surface(k, coefficients[:size], covariance, 1 / precision)


def _peak(rows: Array, shares: Array, ridge: Array, precision: float) -> tuple[Array, Array]:
    """Return the most probable coefficients, and the information there, by Newton's method."""
    found: Array = np.zeros(rows.shape[1])
    weight = GAMES * precision
    for _ in range(MAX_STEPS):
        expected = _logistic(rows @ found)
        uphill = weight * (rows.T @ (shares - expected)) - ridge * found
        step = np.linalg.solve(_information(rows, expected, ridge, weight), uphill)
        found = found + step / max(1.0, float(np.abs(rows @ step).max()) / MAX_STEP)
        if float(np.abs(step).max()) < PRECISION:
            break
    return found, _information(rows, _logistic(rows @ found), ridge, weight)


def _information(rows: Array, expected: Array, ridge: Array, weight: float) -> Array:
    information: Array = (rows.T * (weight * expected * (1 - expected))) @ rows + np.diag(ridge)
    return information


def _dispersion(rows: Array, shares: Array, ridge: Array) -> float:
    """Return Pearson's statistic per degree of freedom, shrunk towards 1."""
    coefficients, information = _peak(rows, shares, ridge, 1.0)
    expected = _logistic(rows @ coefficients)
    residuals = GAMES * (shares - expected) ** 2 / (expected * (1 - expected))
    used = len(ridge) - float(np.trace(np.linalg.solve(information, np.diag(ridge))))
    return float((residuals.sum() + USUAL_PAIRS) / (len(shares) - used + USUAL_PAIRS))


def _logistic(values: Any) -> Array:  # noqa: ANN401 - what a product of arrays is to NumPy
    share: Array = 1 / (1 + np.exp(-values))
    return share
