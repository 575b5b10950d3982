"""Whether a Swiss can go on without repeats: rounds that have no meeting in common.

A round without repeats is a perfect matching of the graph of those who have not met, and rounds
that can all be played are disjoint perfect matchings. In a graph with an even number of nodes, each
joined to at least half of the others, there is always one (Dirac, "Some theorems on abstract
graphs", Proceedings of the London Mathematical Society 2, 1952); below that, this searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    Matching = tuple[tuple[int, int], ...]

MAX_STEPS = 40_000
"""The pairs that one search tries before it gives up: about a tenth of a second."""

TRIES = 4
"""Searches in different orders; each but the last has a fraction of the steps."""


class SearchTooLongError(Exception):
    """A search ended without knowing whether there are such rounds."""


class Unmet:
    """The graph of those who have not met.

    `neighbours` has those of each node, as the bits of a number.
    """

    def __init__(self, neighbours: Sequence[int]) -> None:
        self.neighbours = tuple(neighbours)

    @classmethod
    def of(cls, nodes: int, edges: Iterable[tuple[int, int]]) -> Unmet:
        """Return the graph of these edges."""
        neighbours = [0] * nodes
        for one, other in edges:
            neighbours[one] |= 1 << other
            neighbours[other] |= 1 << one
        return cls(neighbours)

    @property
    def least(self) -> int:
        """The smallest number of neighbours of a node."""
        return min(map(int.bit_count, self.neighbours))

    def without(self, matching: Matching) -> Unmet:
        """Return the graph after a round."""
        rest = list(self.neighbours)
        for one, other in matching:
            rest[one] &= ~(1 << other)
            rest[other] &= ~(1 << one)
        return Unmet(rest)

    def rounds(self, number: int, random: Random) -> list[Matching] | None:
        """Return this many rounds that can all be played; None if there are none.

        Raises SearchTooLongError if that is not found out in time.
        """
        for attempt in range(1, TRIES + 1):
            steps = MAX_STEPS // (1 if attempt == TRIES else 8)
            try:
                return _RoundsSearch(len(self.neighbours), steps, random).rounds(self, number, -1)
            except SearchTooLongError:
                if attempt == TRIES:
                    raise
        return None


def always_has(nodes: int, least: int, rounds: int) -> bool:
    """Return whether that many rounds can be played, however each of them is paired.

    `least` is the smallest number of neighbours of a node. False means that it is not certain.
    """
    return rounds <= 0 or 2 * (least - rounds + 1) >= nodes


class _RoundsSearch:
    """A depth-first search for disjoint perfect matchings, in a random order."""

    def __init__(self, nodes: int, steps: int, random: Random) -> None:
        self.steps = steps
        self.rank = list(range(nodes))
        random.shuffle(self.rank)

    def rounds(self, unmet: Unmet, number: int, least: int) -> list[Matching] | None:
        """Return disjoint matchings, in which node 0 has partners of rising rank above `least`."""
        if number == 0:
            return []
        if unmet.least < number:
            return None
        everybody = (1 << len(unmet.neighbours)) - 1
        for partner in self._ranked(unmet.neighbours[0]):
            if self.rank[partner] <= least:
                continue
            for rest in self._matchings(unmet.neighbours, everybody & ~1 & ~(1 << partner)):
                matching = ((0, partner), *rest)
                further = self.rounds(unmet.without(matching), number - 1, self.rank[partner])
                if further is not None:
                    return [matching, *further]
        return None

    def _matchings(self, neighbours: Sequence[int], free: int) -> Iterator[Matching]:
        """Yield the perfect matchings of the free nodes, the most constrained node first."""
        if not free:
            yield ()
            return
        self.steps -= 1
        if self.steps < 0:
            raise SearchTooLongError
        node = min(_bits(free), key=lambda each: (neighbours[each] & free).bit_count())
        for partner in self._ranked(neighbours[node] & free):
            for rest in self._matchings(neighbours, free & ~(1 << node) & ~(1 << partner)):
                yield ((min(node, partner), max(node, partner)), *rest)

    def _ranked(self, nodes: int) -> list[int]:
        return sorted(_bits(nodes), key=self.rank.__getitem__)


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
