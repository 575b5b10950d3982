"""Connected stones: groups, updated drop by drop, and legal turns by the counts that they leave.

A set of points is one integer, with bit i for index i of the board: Python joins, intersects and
compares such sets in one step, however large they are.

A game with very many turns knows its legal turns in batches: how many turns of a batch leave which
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
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.board import Board, Points, indices_of
from oddly.games.result import GroupCounts
from oddly.games.turns import EMPTY, Colour, Drop, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import NoReturn


class Group(NamedTuple):
    """The stones of a group and the points next to them, occupied or not."""

    stones: Points
    beside: Points


Pair = tuple[Points, Points]
"""The fields of a Group; Python makes and reads plain pairs faster."""
_EVERY_COLOUR = (EMPTY, *Colour)
_IS_COLOUR = {
    colour: bytes(ord("1") if stone == colour else ord("0") for stone in range(256))
    for colour in _EVERY_COLOUR
}


def points_with(stones: bytes, colour: int) -> Points:
    """Return the points that hold `colour`, which may be EMPTY."""
    return int(stones.translate(_IS_COLOUR[colour])[::-1], 2)


class Groups:
    """Stones on a board and the groups they form: connected sets of one colour.

    An immutable value: `with_drop` returns a new one. It looks once at each group of the drop's
    colour.
    """

    __slots__ = ("_groups", "_odd", "board", "stones", "vacant")

    board: Board
    stones: bytes
    vacant: Points
    """The points without a stone."""
    _groups: tuple[tuple[Pair, ...], ...]
    """The groups of each colour; EMPTY has none."""
    _odd: tuple[Points, ...]
    """The points next to an odd number of groups of each colour."""

    def __init__(self, board: Board) -> None:
        self._set(board, bytes(len(board)), (1 << len(board)) - 1, ((), (), ()), (0, 0, 0))

    def _set(
        self,
        board: Board,
        stones: bytes,
        vacant: Points,
        groups: tuple[tuple[Pair, ...], ...],
        odd: tuple[Points, ...],
    ) -> None:
        assign = object.__setattr__
        assign(self, "board", board)
        assign(self, "stones", stones)
        assign(self, "vacant", vacant)
        assign(self, "_groups", groups)
        assign(self, "_odd", odd)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"groups cannot be changed: with_drop returns others ({name})")

    def __reduce__(self) -> tuple[object, ...]:
        return Groups.of, (self.board, self.stones)

    @classmethod
    def of(cls, board: Board, stones: Sequence[int]) -> Groups:
        """Return the groups of a given arrangement of stones."""
        stones = bytes(stones)
        found = [tuple(groups_in(board, points_with(stones, colour))) for colour in Colour]
        odd = []
        for groups in found:
            odd.append(0)
            for group in groups:
                odd[-1] ^= group.beside
        result = object.__new__(cls)
        result._set(board, stones, points_with(stones, EMPTY), ((), *found), (0, *odd))
        return result

    @property
    def black(self) -> int:
        """The number of Black's groups, of any size."""
        return len(self._groups[Colour.BLACK])

    @property
    def white(self) -> int:
        """The number of White's groups, of any size."""
        return len(self._groups[Colour.WHITE])

    @property
    def counts(self) -> GroupCounts:
        """Groups per colour, of any size."""
        _, black, white = self._groups
        return GroupCounts(len(black), len(white))

    @property
    def total(self) -> int:
        """Groups of both colours together."""
        _, black, white = self._groups
        return len(black) + len(white)

    @property
    def members(self) -> Mapping[int, tuple[int, ...]]:
        """The indices of each group's stones, ascending, keyed by the first."""
        every = [tuple(indices_of(stones)) for groups in self._groups for stones, _ in groups]
        return MappingProxyType({members[0]: members for members in every})

    def of_size(self, least: int) -> GroupCounts:
        """Return the number of groups of at least `least` stones, per colour."""
        _, *both = self._groups
        black, white = (sum(stones.bit_count() >= least for stones, _ in groups) for groups in both)
        return GroupCounts(black, white)

    def empty(self) -> Iterator[int]:
        """Return the indices without a stone, in board order."""
        return indices_of(self.vacant)

    def touching(self, index: int, colour: Colour) -> set[Points]:
        """Return the groups of `colour` next to `index`."""
        return {stones for stones, beside in self._groups[colour] if beside >> index & 1}

    def touched(self, colour: Colour) -> dict[int, set[Points]]:
        """Return the groups of `colour` next to each empty index."""
        found: dict[int, set[Points]] = {index: set() for index in indices_of(self.vacant)}
        for stones, beside in self._groups[colour]:
            for index in indices_of(beside & self.vacant):
                found[index].add(stones)
        return found

    def change(self, index: int, colour: Colour) -> int:
        """Return how a drop there changes the total: one new group less those it joins."""
        return 1 - len(self.touching(index, colour))

    def keeping_parity(self, colour: Colour) -> Points:
        """Return the points where a drop of `colour` keeps the parity of the total.

        There it joins an odd number of groups into one.
        """
        return self.vacant & self._odd[colour]

    def changing_parity(self, colour: Colour) -> Points:
        """Return the points where a drop of `colour` changes the parity of the total."""
        return self.vacant & ~self._odd[colour]

    def with_drop(self, index: int, colour: Colour) -> Groups:
        """Return the groups after a stone of `colour` is put on the empty `index`."""
        stone = joined = 1 << index
        beside, odd = self.board.near[index], self._odd[colour]
        groups: list[Pair] = []
        keep = groups.append
        for group in self._groups[colour]:
            if group[1] & stone:
                joined |= group[0]
                beside |= group[1]
                odd ^= group[1]
            else:
                keep(group)
        keep((joined, beside))
        odd ^= beside
        _, black, white = self._groups
        _, black_odd, white_odd = self._odd
        stones = with_stone(self.stones, index, colour)
        result = object.__new__(Groups)
        if colour == Colour.BLACK:
            both, odds = ((), tuple(groups), white), (0, odd, white_odd)
        else:
            both, odds = ((), black, tuple(groups)), (0, black_odd, odd)
        result._set(self.board, stones, self.vacant ^ stone, both, odds)
        return result

    def with_drops(self, drops: Iterable[Drop]) -> Groups:
        """Return the groups after these drops, each on an empty vertex.

        Raises IllegalTurn for a vertex off the board.
        """
        groups = self
        for drop in drops:
            groups = groups.with_drop(self.board.index_of(drop.vertex), drop.colour)
        return groups


_STONE = tuple(bytes([stone]) for stone in _EVERY_COLOUR)


def with_stone(stones: bytes, index: int, colour: Colour) -> bytes:
    """Return the stones with one more."""
    return stones[:index] + _STONE[colour] + stones[index + 1 :]


def groups_in(board: Board, points: Points) -> Iterator[Group]:
    """Yield the connected parts of a set of points in the order of their lowest indices."""
    near = board.near
    while points:
        frontier = points & -points
        rest, beside = points ^ frontier, 0
        while frontier:
            index = frontier.bit_length() - 1
            around = near[index]
            beside |= around
            new = around & rest
            rest ^= new
            frontier ^= new | 1 << index
        yield Group(points ^ rest, beside)
        points = rest


def members_in_order(board: Board, stones: Sequence[int]) -> list[list[int]]:
    """Return the indices of each group, each but the first next to an earlier one."""
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start, stone in enumerate(stones):
        if stone == EMPTY or start in seen:
            continue
        group = [start]
        for index in group:
            group += (n for n in board.neighbours[index] if stones[n] == stone and n not in group)
        seen.update(group)
        groups.append(group)
    return groups


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
