"""Connected stones: groups, updated drop by drop, and Ayu's units.

A set of points is one integer, with bit i for index i of the board: Python joins, intersects and
compares such sets in one step, however large they are.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.board import Board, Points, indices_of
from oddly.games.result import GroupCounts
from oddly.games.turns import EMPTY, Colour, Drop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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


Unit = frozenset[int]
"""The indices of a singleton, or of a set of adjacent pieces of one colour."""


def unit_at(board: Board, stones: Sequence[int], index: int) -> Unit:
    """Return the unit of the piece on `index`."""
    colour = stones[index]
    unit = {index}
    frontier = [index]
    while frontier:
        for neighbour in board.neighbours[frontier.pop()]:
            if stones[neighbour] == colour and neighbour not in unit:
                unit.add(neighbour)
                frontier.append(neighbour)
    return frozenset(unit)


def units(board: Board, stones: Sequence[int], colour: Colour) -> list[Unit]:
    """Return all units of one colour, by their lowest index."""
    found: list[Unit] = []
    seen: set[int] = set()
    for index, stone in enumerate(stones):
        if stone == colour and index not in seen:
            unit = unit_at(board, stones, index)
            seen |= unit
            found.append(unit)
    return found


def closest_distance(board: Board, stones: Sequence[int], unit: Unit) -> int | None:
    """Return the number of empty points on the shortest path to a friendly unit, if any."""
    colour = stones[next(iter(unit))]
    seen = set(unit)
    frontier = list(unit)
    distance = 0
    while frontier:
        reached: list[int] = []
        for index in frontier:
            for neighbour in board.neighbours[index]:
                if neighbour in seen:
                    continue
                seen.add(neighbour)
                if stones[neighbour] == colour:
                    return distance
                if stones[neighbour] == EMPTY:
                    reached.append(neighbour)
        frontier = reached
        distance += 1
    return None
