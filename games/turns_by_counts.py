"""Legal turns by the group counts that they leave, counted without making each one.

A game with very many turns knows its turns in batches: how many turns of a batch leave which
counts, and how to list them. Only the batches that hold a requested turn are listed.

A drop joins its stone and the groups of its colour that it touches into one group. So its change to
the counts has a *kind*: its colour, and 1 minus the number of those groups. The second drop of a
pair changes them as if it were the first, unless both have the same colour and are neighbours or
touch a common group. Then it touches the first drop's group, which now contains the common groups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING

from oddly.games.turns import EMPTY, Colour, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from oddly.games.groups import Groups
    from oddly.games.result import GroupCounts


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
    """The turns that leave one of the given counts. They are counted, and made on request.

    `random.choice` draws from them as from a list.
    """

    def __init__(self, batches: Sequence[TurnBatch], counts: Collection[GroupCounts]) -> None:
        self._batches = batches
        self._counts = frozenset(counts)
        self._ends = [0, *accumulate(map(self._number, batches))]
        """The number of turns before each batch, and of all."""

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


def counts_left(
    groups: Groups, may_leave: Callable[[GroupCounts], bool]
) -> Iterator[tuple[int, Colour, Mapping[GroupCounts, int]]]:
    """Yield each drop by index and colour, and the number of legal turns from it by their counts.

    These turns are the drop alone, and pairs with a drop of either colour on a higher index. A turn
    is legal if `may_leave` allows the counts that it leaves.
    """
    touched = {c: groups.touched(c) for c in Colour}
    joining = {c: [index for index in touched[c] if len(touched[c][index]) > 1] for c in Colour}
    kinds = {index: [(c, 1 - len(touched[c][index])) for c in Colour] for index in groups.empty()}
    later = Counter(kind for both in kinds.values() for kind in both)
    alone = {kind: groups.counts.changed(*kind) for kind in later}
    paired = {kind: [(k, alone[kind].changed(*k)) for k in later] for kind in later}
    for index, both in kinds.items():
        later.subtract(both)
        for kind in both:
            colour, _ = kind
            left = defaultdict(int, {alone[kind]: 1})
            for second, counts in paired[kind]:
                left[counts] += later[second]
            for supposed, true in _exceptions(groups, index, touched[colour], joining[colour]):
                left[alone[kind].changed(colour, supposed)] -= 1
                left[alone[kind].changed(colour, true)] += 1
            yield index, colour, {c: n for c, n in left.items() if n and may_leave(c)}


def _exceptions(
    groups: Groups, first: int, touched: Mapping[int, set[int]], joining: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the changes by later drops without the first and after it, where these differ.

    `touched` has the groups of one colour next to each empty index, `joining` the indices with more
    than one, ascending.
    """
    own = touched[first]
    near = groups.board.neighbours[first]
    for second in near:
        if second > first and groups.stones[second] == EMPTY:
            yield _changes(own, touched[second])
    if len(own) > 1:
        for second in joining[bisect_right(joining, first) :]:
            if second not in near and len(own & touched[second]) > 1:
                yield _changes(own, touched[second])


def _changes(first: set[int], second: set[int]) -> tuple[int, int]:
    """Return how the second drop changes the counts alone, and after the first."""
    joined = 1 + len(second - first)
    return 1 - len(second), 1 - joined
