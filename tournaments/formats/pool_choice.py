"""Which two engines should play next, so that the widest error bar shrinks most.

The covariance C of ratings that are centred on their mean is the inverse of their information. A
game between engines of ratings r_i and r_j adds the information w d d', where d has 1 at i and -1
at j, and w = p (1 - p) / (400 / ln 10)^2 in 1 / Elo^2 if i wins with probability p. So it takes

    w (C d) (C d)' / (1 + w d' C d)

from C: Sherman and Morrison, "Adjustment of an inverse matrix corresponding to a change in one
element of a given matrix", Annals of Mathematical Statistics 21 (1950). The information is the
expected one, which for these models equals the observed one whatever the result. The advantage of
playing first, which both seats of a pair share, is taken as known.

C is that of ideal games. Draws, repeated openings and ratings that do not fit make the ratings' own
variances greater; this enters as a factor for each engine. If it were in C, a pair with an effect
of its own would seem to have the widest bar whatever it plays, and be chosen for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.live import UNMET

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.bradley_terry import Ratings

    Array = NDArray[np.floating[Any]]

DIGITS = 9
"""The significant digits of relative gains; further ones are rounding and vary by machine."""


class Expectation:
    """The error bars of some engines as they will be after certain games.

    Ratings are relative to the mean of these engines, so others, which no longer play, widen no
    bar. Raises ValueError for ratings without a joint covariance.
    """

    def __init__(self, ratings: Ratings, engines: Sequence[str]) -> None:
        rated = {name: number for number, name in enumerate(ratings.names)}
        chosen = [rated[name] for name in engines]
        centre = np.eye(len(chosen)) - 1 / max(1, len(chosen))
        groups = ratings.groups[chosen]
        level = UNMET**2 * (groups[:, None] == groups)
        ideal = ratings.ideal_covariance
        self.engines = list(engines)
        self.number = {name: number for number, name in enumerate(engines)}
        if ratings.covariance is None or ideal is None:
            raise ValueError("ratings without a joint covariance tell no expected error bars")
        own, joint = (
            centre @ (each[np.ix_(chosen, chosen)] + level) @ centre
            for each in (ideal, ratings.covariance)
        )
        self.covariance = own
        self.wider = np.diag(joint) / np.where(np.diag(own) > 0, np.diag(own), 1.0)
        self.information = _information_of_pairs(ratings, chosen)
        self.stretches = ratings.stretches[chosen]

    def add(self, one: str, other: str, games: int) -> None:
        """Expect games, half of them in either seat; games of other engines are ignored."""
        if one not in self.number or other not in self.number:
            return
        first, second = self.number[one], self.number[other]
        information = self.information[first, second] * games / 2
        change = self.covariance[:, first] - self.covariance[:, second]
        spread = change[first] - change[second]
        self.covariance -= np.outer(change, change) * information / (1 + information * spread)

    def errors_95(self) -> Array:
        """Return half the widths, in Elo, of the 95 % intervals of the ratings."""
        deviations: Array = np.sqrt(np.maximum(0.0, self.variances))
        return QUANTILE_975 * deviations * self.stretches

    @property
    def variances(self) -> Array:
        """The expected variances of the ratings, in square Elo."""
        found: Array = np.diag(self.covariance) * self.wider
        return found

    def widest(self) -> tuple[str, float]:
        """Return the engine with the widest bar, and half its width in Elo."""
        errors = self.errors_95()
        widest = int(np.argmax(np.round(errors, 6)))
        return self.engines[widest], float(errors[widest])

    def are_below(self, until: float) -> bool:
        """Return whether every bar is narrower."""
        return self.widest()[1] < until

    def best_pair(self, barred: Iterable[Iterable[str]] = ()) -> tuple[str, str] | None:
        """Return the pair whose games shrink the widest bar most; None if all pairs are barred.

        The widest bar is sought among engines that may meet another one. Of equal pairs the first
        in the order of engines is chosen.
        """
        possible = np.triu(np.ones_like(self.covariance, dtype=bool), 1)
        for one, other in barred:
            if one in self.number and other in self.number:
                low, high = sorted((self.number[one], self.number[other]))
                possible[low, high] = False
        if not possible.any():
            return None
        variances = np.diag(self.covariance)
        may_play = possible.any(axis=0) | possible.any(axis=1)
        widest = int(np.argmax(np.where(may_play, np.round(self.variances, 6), -1.0)))
        change = self.covariance[widest][:, None] - self.covariance[widest][None, :]
        spread = variances[:, None] + variances[None, :] - 2 * self.covariance
        gain = change**2 * self.information / (1 + self.information * spread)
        gain = np.where(possible, gain, 0.0)
        best = int(np.argmax(np.round(gain / gain.max(), DIGITS)))
        first, second = divmod(best, len(variances))
        return self.engines[first], self.engines[second]


def _information_of_pairs(ratings: Ratings, engines: Sequence[int]) -> Array:
    """Return the information in 1 / Elo^2 from a swapped pair of games of each two engines."""
    elo = ratings.elo[engines]
    difference = elo[:, None] - elo[None, :]
    odds = [(difference + seat * ratings.advantage) / ELO_PER_NAT for seat in (1, -1)]
    # p (1 - p) of the logistic function, exact in both tails.
    certainty = [np.exp(-np.abs(each)) / (1 + np.exp(-np.abs(each))) ** 2 for each in odds]
    information: Array = (certainty[0] + certainty[1]) / ELO_PER_NAT**2
    return information
