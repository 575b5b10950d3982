"""Which stones are connected: groups, known after each drop, and Ayu's units."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.result import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import NoReturn

    from oddly.games.board import Board
    from oddly.games.turns import Drop


NO_GROUP = -1


class Groups:
    """Stones on a board and the groups they form: connected sets of one colour.

    A value: `with_drop` returns a new one. Each group has a label, the index of one of its
    stones; `labels[i]` is the label of the group at index `i`, and `members` lists the indices
    of each group, so a drop that joins groups relabels only the stones of the smaller ones.
    """

    __slots__ = ("black", "board", "labels", "members", "stones", "white")

    board: Board
    stones: bytes
    labels: tuple[int, ...]
    members: MappingProxyType[int, tuple[int, ...]]
    black: int
    white: int

    def __init__(self, board: Board) -> None:
        self._set(board, bytes(len(board)), (NO_GROUP,) * len(board), {}, 0, 0)

    def _set(
        self,
        board: Board,
        stones: bytes,
        labels: tuple[int, ...],
        members: dict[int, tuple[int, ...]],
        black: int,
        white: int,
    ) -> None:
        assign = object.__setattr__
        assign(self, "board", board)
        assign(self, "stones", stones)
        assign(self, "labels", labels)
        assign(self, "members", MappingProxyType(members))
        assign(self, "black", black)
        assign(self, "white", white)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"groups cannot be changed: with_drop returns others ({name})")

    def __reduce__(self) -> tuple[object, ...]:
        return Groups.of, (self.board, self.stones)

    @classmethod
    def of(cls, board: Board, stones: Sequence[int]) -> Groups:
        """Return the groups of a given arrangement of stones."""
        growing = _GrowingGroups(cls(board))
        for index, stone in enumerate(stones):
            if stone != EMPTY:
                growing.add(index, Colour(stone))
        return growing.finished()

    @property
    def counts(self) -> GroupCounts:
        """Groups per colour, of any size."""
        return GroupCounts(self.black, self.white)

    @property
    def total(self) -> int:
        """Groups of both colours together."""
        return self.black + self.white

    def empty(self) -> Iterator[int]:
        """Return the indices without a stone, in board order."""
        return (index for index, stone in enumerate(self.stones) if stone == EMPTY)

    def touching(self, index: int, colour: Colour) -> set[int]:
        """Labels of the groups of `colour` next to `index`."""
        stones, labels = self.stones, self.labels
        return {labels[n] for n in self.board.neighbours[index] if stones[n] == colour}

    def change(self, index: int, colour: Colour) -> int:
        """By how much a drop there changes the total: one new group, less those it joins."""
        return 1 - len(self.touching(index, colour))

    def with_drop(self, index: int, colour: Colour) -> Groups:
        """Return the groups after a stone of `colour` is put on the empty `index`."""
        growing = _GrowingGroups(self)
        growing.add(index, colour)
        return growing.finished()

    def with_drops(self, drops: Iterable[Drop]) -> Groups:
        """Return the groups after these drops, each on an empty vertex of the board."""
        growing = _GrowingGroups(self)
        for drop in drops:
            growing.add(self.board.index[drop.vertex], drop.colour)
        return growing.finished()


class _GrowingGroups:
    """Groups while stones are added to them."""

    __slots__ = ("board", "counts", "labels", "members", "stones")

    def __init__(self, groups: Groups) -> None:
        self.board = groups.board
        self.stones = bytearray(groups.stones)
        self.labels = list(groups.labels)
        self.members = groups.members.copy()
        self.counts = [0, groups.black, groups.white]

    def finished(self) -> Groups:
        """Return them as a value."""
        groups = object.__new__(Groups)
        _, black, white = self.counts
        groups._set(self.board, bytes(self.stones), tuple(self.labels), self.members, black, white)
        return groups

    def add(self, index: int, colour: Colour) -> None:
        """Put a stone on the empty `index`."""
        stones, labels = self.stones, self.labels
        touched = {labels[n] for n in self.board.neighbours[index] if stones[n] == colour}
        stones[index] = colour
        self._join(index, touched)
        self.counts[colour] += 1 - len(touched)

    def _join(self, index: int, touched: set[int]) -> None:
        """Make one group of the stone on `index` and the `touched` groups."""
        members, labels = self.members, self.labels
        if not touched:
            labels[index] = index
            members[index] = (index,)
            return
        if len(touched) == 1:
            (label,) = touched
            labels[index] = label
            members[label] += (index,)
            return
        largest = max(touched, key=lambda label: len(members[label]))
        joined = [index]
        for label in touched:
            if label != largest:
                joined.extend(members.pop(label))
        for member in joined:
            labels[member] = largest
        members[largest] += tuple(joined)


def members_in_order(board: Board, stones: Sequence[int]) -> list[list[int]]:
    """Return the indices of each group, every one but the first next to an earlier one."""
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
    """Empty points on the shortest path from `unit` to a friendly one; None without a path."""
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
