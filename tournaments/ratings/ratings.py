"""Ratings with error bars, and what follows from them.

The posterior is treated as normal around its peak, with the inverse of its second derivatives as
covariance (Laplace's approximation; Gelman et al., *Bayesian Data Analysis*, third edition, 2013,
section 4.1). Where the posterior is skewed, error bars are longer, see `likelihood.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import QUANTILE_975, STANDARD, chi_square_tail, expected_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oddly.tournaments.ratings.posterior import Likelihood

    Array = NDArray[np.floating[Any]]


MAX_ERROR = 600.0
"""The longest error bar, in Elo, of a rating that is shown."""

MIN_GAMES = 8
"""The fewest games of an engine whose rating is shown."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of the engines `names`, in Elo, and the advantage of playing first.

    `covariance` is that of `elo`, in square Elo, relative to the mean rating or the anchor.
    """

    names: tuple[str, ...]
    elo: Array
    covariance: Array
    games: NDArray[np.int64]
    """The games that ratings go by: copies of earlier ones are left out."""
    points: Array
    """The points from these."""
    played: NDArray[np.int64]
    """All games."""
    advantage: float
    advantage_variance: float
    likelihood: Likelihood | None = None
    """The posterior around its peak; None if there is only the normal distribution."""

    @cached_property
    def stretches(self) -> Array:
        """By how much each error bar is longer than that of the normal distribution."""
        return np.ones(len(self.names)) if self.likelihood is None else self.likelihood.stretches()

    @cached_property
    def errors_95(self) -> Array:
        """Half the widths, in Elo, of the 95 % intervals of the ratings."""
        deviations: Array = np.sqrt(np.maximum(0.0, np.diag(self.covariance)))
        return QUANTILE_975 * deviations * self.stretches

    @cached_property
    def advantage_error_95(self) -> float:
        """Half the width, in Elo, of the 95 % interval of the advantage."""
        stretch = 1.0 if self.likelihood is None else self.likelihood.advantage_stretch()
        return QUANTILE_975 * math.sqrt(self.advantage_variance) * stretch

    def unknown(self, engine: int) -> str | None:
        """Return why the rating of engine number `engine` is not to be shown; None if it is.

        A rating with an error bar above MAX_ERROR, or from fewer than MIN_GAMES games, is not worth
        a number.
        """
        games, points = int(self.games[engine]), float(self.points[engine])
        # An anchor's rating is given.
        if self.covariance[engine, engine] <= 0 and len(self.names) > 1:
            return None
        if games < MIN_GAMES:
            return TOO_FEW if games else NO_GAMES
        if self.errors_95[engine] <= MAX_ERROR:
            return None
        return WON_ALL if points == games else TOO_FEW if points else LOST_ALL

    @property
    def unknown_advantage(self) -> str | None:
        """Why the advantage of playing first is not to be shown; None if it is."""
        is_known = self.games.sum() >= 2 * MIN_GAMES and self.advantage_error_95 <= MAX_ERROR
        return None if is_known else TOO_FEW

    def order(self) -> list[int]:
        """Return the engines' numbers from the highest rating to the lowest, equal ones by name."""
        # A millionth of an Elo is only rounding.
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

        What the two have in common, such as their opponents, cancels out.
        """
        if self.likelihood is not None and one != other:
            return STANDARD.cdf(self.likelihood.root(one, other))
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
        """The probability of a statistic at least this great if playing first does not matter."""
        return chi_square_tail(self.statistic)


NO_GAMES = "no games"
TOO_FEW = "too few games"
WON_ALL = "won every game"
LOST_ALL = "lost every game"
