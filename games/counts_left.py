"""How many turns of one or two drops leave which group counts, found without making each turn.

A drop makes one group of its stone and the groups of its colour that it touches. So it changes the
counts by a kind: its colour, and one less the number of those groups. The second drop of a pair
changes them as if it were the first, unless both have one colour and are neighbours or touch a
common group. Then it touches the first drop's group, of which the common groups are part by then.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oddly.games.groups import Groups
    from oddly.games.result import GroupCounts


def counts_left(
    groups: Groups, may_leave: Callable[[GroupCounts], bool]
) -> Iterator[tuple[int, Colour, Mapping[GroupCounts, int]]]:
    """Yield each drop by index and colour, and how many legal turns from there leave which counts.

    These turns are the drop alone, and pairs with a drop of either colour on a higher index. A turn
    is legal if `may_leave` allows the counts that it leaves.
    """
    touched = {c: {index: groups.touching(index, c) for index in groups.empty()} for c in Colour}
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
    """What drops above the first change the counts by without it, and with it, where that differs.

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
    """What the second of two drops that touch these groups changes alone, and after the first."""
    joined = 1 + len(second - first)
    return 1 - len(second), 1 - joined
