"""Which two engines should play next, so that the widest error bar shrinks most.

The covariance C of ratings that are centred on their mean is the inverse of their information. A
game between engines of ratings r_i and r_j adds the information w d d', where d has 1 at i and -1
at j, and w = p (1 - p) / (400 / ln 10)^2 in 1 / Elo^2 if i wins with probability p. So it takes

    w (C d) (C d)' / (1 + w d' C d)

from C: Sherman and Morrison, "Adjustment of an inverse matrix corresponding to a change in one
element of a given matrix", Annals of Mathematical Statistics 21 (1950). That is the expected
information, which for these models is the one observed, whoever wins. The advantage of playing
first, which both seats of a pair share, is taken as known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tournaments.ratings.elo import ELO_PER_NAT
from tournaments.ratings.normal import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tournaments.ratings.ratings import Ratings

    Array = NDArray[np.floating[Any]]

DIGITS = 9
"""Of relative gains; what differs in later ones is rounding, which differs by machine."""


class Expectation:
    """The covariance of ratings as it will be once certain games are played.

    Engines have the numbers that they have in `ratings`.
    """

    def __init__(self, ratings: Ratings) -> None:
        self.covariance = ratings.covariance.copy()
        self.information = _information_of_pairs(ratings)

    def add(self, one: int, other: int, games: int) -> None:
        """Expect so many games, half of them in either seat."""
        information = self.information[one, other] * games / 2
        change = self.covariance[:, one] - self.covariance[:, other]
        spread = change[one] - change[other]
        self.covariance -= np.outer(change, change) * information / (1 + information * spread)

    def errors_95(self) -> Array:
        """Half the widths, in Elo, of the intervals that hold the true ratings with 95 %."""
        errors: Array = QUANTILE_975 * np.sqrt(np.maximum(0.0, np.diag(self.covariance)))
        return errors

    def best_pair(
        self, engines: Iterable[int], barred: Iterable[tuple[int, int]] = ()
    ) -> tuple[int, int] | None:
        """The pair among `engines` whose games shrink the widest error bar most.

        That is the widest one of those who have somebody to play. Of equals the first, in the
        order of numbers. None if all pairs are barred.
        """
        allowed = np.zeros(len(self.covariance), dtype=bool)
        allowed[list(engines)] = True
        possible = np.triu(np.outer(allowed, allowed), 1)
        for one, other in barred:
            possible[one, other] = possible[other, one] = False
        if not possible.any():
            return None
        variances = np.diag(self.covariance)
        may_play = possible.any(axis=0) | possible.any(axis=1)
        widest = int(np.argmax(np.where(may_play, np.round(variances, 6), -1.0)))
        change = self.covariance[widest][:, None] - self.covariance[widest][None, :]
        spread = variances[:, None] + variances[None, :] - 2 * self.covariance
        gain = change**2 * self.information / (1 + self.information * spread)
        gain = np.where(possible, gain, 0.0)
        best = int(np.argmax(np.round(gain / gain.max(), DIGITS)))
        one, other = divmod(best, len(variances))
        return one, other


def _information_of_pairs(ratings: Ratings) -> Array:
    """What a swapped pair of games of each two engines tells of their difference, in 1 / Elo^2."""
    difference = ratings.elo[:, None] - ratings.elo[None, :]
    odds = [(difference + seat * ratings.advantage) / ELO_PER_NAT for seat in (1, -1)]
    # p (1 - p) of the logistic function, exact in both tails.
    certainty = [np.exp(-np.abs(each)) / (1 + np.exp(-np.abs(each))) ** 2 for each in odds]
    information: Array = (certainty[0] + certainty[1]) / ELO_PER_NAT**2
    return information
