"""Ratings with error bars, and what follows from them.

The posterior is taken to be normal around its peak, with the inverse of its second derivatives as
covariance (Laplace's approximation; Gelman et al., *Bayesian Data Analysis*, third edition, 2013,
section 4.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tournaments.ratings.elo import expected_score
from tournaments.ratings.normal import QUANTILE_975, STANDARD, chi_square_tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings of the engines `names`, in Elo, and the advantage of playing first.

    `covariance` is that of `elo`, in square Elo, relative to the mean rating or the anchor.
    """

    names: tuple[str, ...]
    elo: Array
    covariance: Array
    games: NDArray[np.int64]
    points: Array
    advantage: float
    advantage_variance: float

    @property
    def errors_95(self) -> Array:
        """Half the widths, in Elo, of the intervals that hold the true ratings with 95 %."""
        errors: Array = QUANTILE_975 * np.sqrt(np.maximum(0.0, np.diag(self.covariance)))
        return errors

    @property
    def advantage_error_95(self) -> float:
        """Half the width, in Elo, of the interval that holds the advantage with 95 %."""
        return QUANTILE_975 * math.sqrt(self.advantage_variance)

    def order(self) -> list[int]:
        """Return the engines' numbers from the highest rating to the lowest, equal ones by name."""
        # A millionth of an Elo is rounding and makes nobody better.
        return sorted(
            range(len(self.names)), key=lambda i: (-round(float(self.elo[i]), 6), self.names[i])
        )

    def score(self, engine: int) -> float | None:
        """Return the points per game of engine number `engine`, None without a game."""
        games = int(self.games[engine])
        return float(self.points[engine]) / games if games else None

    def expected_score(self, first: int, second: int) -> float:
        """Return the points per game, 0 to 1, expected of engine number `first` as first player."""
        return expected_score(float(self.elo[first] - self.elo[second]) + self.advantage)

    def likelihood_of_superiority(self, one: int, other: int) -> float:
        """Return the probability (LOS) that engine number `one` is stronger than `other`.

        The difference of two ratings is normal, with a variance from the joint covariance: what the
        two have in common, such as their opponents, does not make it less certain which of them is
        ahead.
        """
        covariance = self.covariance
        variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
        if one == other or variance <= 0:
            return 0.5
        return STANDARD.cdf(float(self.elo[one] - self.elo[other]) / math.sqrt(variance))


@dataclass(frozen=True, slots=True)
class AdvantageTest:
    """The likelihood-ratio test of whether playing first matters."""

    statistic: float

    @property
    def p_value(self) -> float:
        """How often so great a statistic occurs if playing first does not matter."""
        return chi_square_tail(self.statistic)
