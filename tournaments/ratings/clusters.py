"""Games from one opening as one cluster: repeats widen the error and leave the mean alone.

Two games of the same engines from the same opening are not independent; between deterministic
engines they are copies. Leaving copies out would select by the outcome, since an engine that
repeats a lost game loses it only once. So every game counts, and the opening, in both seats, is the
unit of chance (Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", Journal of
Human Resources 50, 2015). Games from the start of the board have no opening; there the copies of
one game are a cluster, and all other games are on their own.

The *design effect* of two engines is the factor by which openings raise the variance of a result
above that of independent games: Rao and Scott, "On chi-squared tests for multiway contingency
tables with cell proportions estimated from survey data", Annals of Statistics 12 (1984), who divide
the logarithm of likelihood ratios by it. With the residuals e of a cluster's games, it is

    1 + sum_c (1 - 1 / m_c) ((sum e)^2 - sum e^2) / sum e^2,

where m_c is how often its opening was played in one seat: a cluster without repeats adds nothing.
The games of both seats are taken together, as the points of one engine, or each seat on its own,
whichever gives more: where the first player wins every copy, the seats only seem to agree that
engines are equal.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from oddly.tournaments.ratings.elo import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Seats = tuple[int, int, int, int, int, int]
"""A cluster's games: wins, losses and draws of the first player, then with seats swapped."""

Cluster = tuple[str, str, Seats]
"""Two engines, the lesser name first, which is the first player of the first three counts."""

NONE: Seats = (0, 0, 0, 0, 0, 0)
FEWEST = 4
"""The fewest clusters from which an error can be estimated."""


def design_effect(
    clusters: Iterable[tuple[Seats, int]], chances: Sequence[float], squares: float
) -> float:
    """Return the design effect of two engines, at least 1.

    `clusters` are those with repeats, each with its number; `chances` are the expected points of
    the first player in either seating, and `squares` the sum of the squared residuals of all games.
    """
    of_both = of_each = 0.0
    for seats, number in clusters:
        sums, own = zip(
            residuals(seats[:3], chances[0]), residuals(seats[3:], chances[1]), strict=True
        )
        weight = number * (1 - 1 / _repeats(seats))
        of_both += weight * ((sums[0] - sums[1]) ** 2 - sum(own))
        of_each += weight * (sums[0] ** 2 + sums[1] ** 2 - sum(own))
    return max(1.0, 1 + max(of_both, of_each) / squares) if squares else 1.0


def residuals(counts: Sequence[int], chance: float) -> tuple[float, float]:
    """Return the sums of the residuals of wins, losses and draws, and of their squares."""
    wins, losses, draws = counts
    won, lost, drew = 1 - chance, -chance, 0.5 - chance
    return (
        wins * won + losses * lost + draws * drew,
        wins * won**2 + losses * lost**2 + draws * drew**2,
    )


def _repeats(seats: Seats) -> int:
    """Return how often the opening was played in one seat."""
    return max(sum(seats[:3]), sum(seats[3:]))


def is_repeated(seats: Seats) -> bool:
    """Return whether the opening was played more than once in one seat."""
    return _repeats(seats) > 1


class ClusterCounts:
    """Counts clusters as games arrive, in a few bytes for each opening."""

    def __init__(self, repeats: Counter[Cluster] | None = None) -> None:
        self.repeats: Counter[Cluster] = Counter() if repeats is None else repeats
        """The clusters whose opening was played repeatedly; `add` updates them."""
        self._seats: dict[int, Seats] = {}
        self._shared: dict[Seats, Seats] = {}

    def add(self, first: str, second: str, winner: int | None, cluster: Hashable) -> None:
        """Count a game, won by the first player (0), the second (1) or nobody."""
        one, other = sorted((first, second))
        key = hash((one, other, cluster))
        place = (2 if winner is None else winner) + 3 * (first != one)
        before = self._seats.get(key, NONE)
        counts = list(before)
        counts[place] += 1
        after = cast("Seats", tuple(counts))
        after = self._seats[key] = self._shared.setdefault(after, after)
        if is_repeated(before):
            self.repeats[one, other, before] -= 1
            if not self.repeats[one, other, before]:
                del self.repeats[one, other, before]
        if is_repeated(after):
            self.repeats[one, other, after] += 1


def t_quantile(freedom: float) -> float:
    """Return the 97.5 % quantile of Student's t, to 1 % from 3 degrees of freedom on.

    By Cornish and Fisher's expansion: Abramowitz and Stegun, *Handbook of Mathematical Functions*
    (1964), 26.7.5.
    """
    z, d = QUANTILE_975, 1 / freedom
    return (
        z
        + d * (z**3 + z) / 4
        + d**2 * (5 * z**5 + 16 * z**3 + 3 * z) / 96
        + d**3 * (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    )
