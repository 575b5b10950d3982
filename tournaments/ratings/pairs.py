"""Colour-swapped pairs: two games of the same engines from the same start; each opens one.

An engine scores 0, 1/2, 1, 3/2 or 2 points in a pair. If the first player or the start has an
advantage, the games of a pair are not independent. Pairs are, so tests use pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = 5


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The numbers of pairs that gave the tested engine 0, 1/2, 1, 3/2 and 2 points.

    Raises ValueError unless there are five counts from 0.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        """Check the counts. Raises ValueError if they are wrong."""
        if len(self.counts) != OUTCOMES or min(self.counts) < 0:
            raise ValueError(f"{OUTCOMES} counts from 0 expected, not {self.counts}")

    @property
    def pairs(self) -> int:
        """The number of pairs of any outcome."""
        return sum(self.counts)

    @property
    def won(self) -> int:
        """The pairs in which the tested engine won both games (WW)."""
        return self.counts[4]

    @property
    def lost(self) -> int:
        """The pairs in which the tested engine lost both games (LL)."""
        return self.counts[0]

    def plus(self, points: float) -> PairCounts:
        """Return the counts with one more pair, of 0, 1/2, 1, 3/2 or 2 points.

        Raises ValueError for other points.
        """
        outcome = 2 * points
        if outcome not in range(OUTCOMES):
            raise ValueError(f"a pair has 0, 0.5, 1, 1.5 or 2 points, not {points}")
        zero, half, one, three_halves, two = (
            count + (outcome == index) for index, count in enumerate(self.counts)
        )
        return PairCounts((zero, half, one, three_halves, two))
