"""Legal turns by the group counts that they leave, which a game can count without making each.

A game with very many turns knows its turns in batches: how many turns of a batch leave which
counts, and how to list them. Only the batches that hold a turn that somebody asks for are listed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from oddly.games.result import GroupCounts
    from oddly.games.turns import Turn


@dataclass(frozen=True, slots=True)
class TurnBatch:
    """Legal turns that follow each other in the order of `legal_turns`."""

    numbers: Mapping[GroupCounts, int]
    """How many of the turns leave these counts; at least one."""
    outcomes: Callable[[], Iterable[tuple[Turn, GroupCounts]]]
    """Returns the turns, each with the counts it leaves."""

    @classmethod
    def listed(cls, outcomes: Iterable[tuple[Turn, GroupCounts]]) -> TurnBatch:
        """Return the batch of these turns."""
        pairs = list(outcomes)
        return cls(Counter(counts for _, counts in pairs), partial(iter, pairs))


class TurnsByCounts:
    """All legal turns of a position, in batches."""

    def __init__(self, batches: Sequence[TurnBatch]) -> None:
        self._batches = batches
        self.counts: frozenset[GroupCounts] = frozenset().union(*(b.numbers for b in batches))
        """The counts that legal turns leave."""

    def __iter__(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Every legal turn with the counts it leaves, as `Position.outcomes` returns them."""
        return chain.from_iterable(batch.outcomes() for batch in self._batches)

    def leaving(self, counts: Collection[GroupCounts]) -> TurnsLeaving:
        """Return the turns that leave one of these counts, in the order of `legal_turns`."""
        return TurnsLeaving(self._batches, counts)


class TurnsLeaving:
    """The turns that leave one of some counts. They are counted, and made when they are asked for.

    `random.choice` draws from them as from a list.
    """

    def __init__(self, batches: Sequence[TurnBatch], counts: Collection[GroupCounts]) -> None:
        self._batches = batches
        self._counts = frozenset(counts)
        self._ends = [0, *accumulate(map(self._number, batches))]
        """How many of the turns come before each batch, and how many there are."""

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: int) -> Turn:
        """The turn number `index`, from 0. Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(f"turn {index} of {len(self)}")
        batch = bisect_right(self._ends, index) - 1
        return next(islice(self._made(self._batches[batch]), index - self._ends[batch], None))

    def __iter__(self) -> Iterator[Turn]:
        return chain.from_iterable(map(self._made, self._batches))

    def _number(self, batch: TurnBatch) -> int:
        return sum(number for counts, number in batch.numbers.items() if counts in self._counts)

    def _made(self, batch: TurnBatch) -> Iterator[Turn]:
        return (turn for turn, counts in batch.outcomes() if counts in self._counts)
