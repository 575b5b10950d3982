"""Colour-swapped pairs: two games of the same engines with the same start, each opening one.

An engine scores 0, 1/2, 1, 3/2 or 2 points from a pair. The games of a pair are not independent
where the first player or the start has an advantage, but pairs are; so what is tested is pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

OUTCOMES = 5


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs brought the tested engine 0, 1/2, 1, 3/2 and 2 points, in this order."""

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != OUTCOMES or min(self.counts) < 0:
            raise ValueError(f"{OUTCOMES} counts from 0 expected, not {self.counts}")

    @classmethod
    def trinomial(cls, lost: int, split: int, won: int) -> Self:
        """Of pairs without draws: both games lost (LL), one each (WL), both won (WW)."""
        return cls((lost, 0, split, 0, won))

    @property
    def pairs(self) -> int:
        """Of any outcome."""
        return sum(self.counts)

    @property
    def won(self) -> int:
        """Pairs of which the tested engine won both games (WW)."""
        return self.counts[4]

    @property
    def lost(self) -> int:
        """Pairs of which it lost both games (LL)."""
        return self.counts[0]

    def plus(self, points: float) -> PairCounts:
        """With one pair more, of 0, 1/2, 1, 3/2 or 2 points. Raises ValueError for others."""
        outcome = 2 * points
        if outcome not in range(OUTCOMES):
            raise ValueError(f"a pair has 0, 0.5, 1, 1.5 or 2 points, not {points}")
        zero, half, one, three_halves, two = (
            count + (outcome == index) for index, count in enumerate(self.counts)
        )
        return PairCounts((zero, half, one, three_halves, two))
