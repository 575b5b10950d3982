"""Which stones form a group, kept up to date drop by drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.result import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oddly.games.board import Board
    from oddly.games.turns import Drop

NO_GROUP = -1


class Groups:
    """Stones on a board and the groups they form: connected sets of one colour.

    A snapshot: `with_drop` returns a new one. Each group has a label, the index of one of its
    stones; `labels[i]` is the label of the group at index `i`, and `members` lists the indices
    of each group, so a drop that joins groups relabels only the stones of the smaller ones.
    """

    __slots__ = ("black", "board", "labels", "members", "stones", "white")

    def __init__(self, board: Board) -> None:
        self.board = board
        self.stones: list[int] = [EMPTY] * len(board)
        self.labels: list[int] = [NO_GROUP] * len(board)
        self.members: dict[int, tuple[int, ...]] = {}
        self.black = 0
        self.white = 0

    @classmethod
    def of(cls, board: Board, stones: Sequence[int]) -> Groups:
        """Return the groups of a given arrangement of stones."""
        groups = cls(board)
        for index, stone in enumerate(stones):
            if stone != EMPTY:
                groups = groups.with_drop(index, Colour(stone))
        return groups

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
        after = self._copy()
        after._add(index, colour)
        return after

    def with_drops(self, drops: Iterable[Drop]) -> Groups:
        """Return the groups after these drops, each on an empty vertex of the board."""
        after = self._copy()
        for drop in drops:
            after._add(self.board.index[drop.vertex], drop.colour)
        return after

    def _add(self, index: int, colour: Colour) -> None:
        """Put a stone on the empty `index` of this very object, which nobody else has yet."""
        touched = self.touching(index, colour)
        self.stones[index] = colour
        self._join(index, touched)
        if colour is Colour.BLACK:
            self.black += 1 - len(touched)
        else:
            self.white += 1 - len(touched)

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

    def _copy(self) -> Groups:
        twin = object.__new__(Groups)
        twin.board = self.board
        twin.stones = self.stones.copy()
        twin.labels = self.labels.copy()
        twin.members = self.members.copy()
        twin.black = self.black
        twin.white = self.white
        return twin


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
