"""A small board as a frame of outer cells around a core, and its positions up to symmetry.

A *frame* is the stones on the outer cells, those with fewer neighbours than a cell in the middle
of the board; the *core* is all others. Each is a number in base 3 with a digit for each cell: 0 is
a black stone, 1 a white one, 2 an empty cell. So a drop always makes a smaller number.

Odd counts groups of both colours alike. A position is therefore worth the same after every symmetry
of the board, and with the colours exchanged. A *way* is one of these views. Of all frames that some
way takes into each other, the one with the lowest number has a row of values, one for each core.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.board_symmetries import permutations
from oddly.engines.database.framed_layers import EMPTY_DIGIT, find_rows
from oddly.games import EMPTY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Board

_KEPT, _EXCHANGED = np.array([0, 1, EMPTY_DIGIT]), np.array([1, 0, EMPTY_DIGIT])
MAX_TAIL_CELLS = 5
"""The cells of a core that one table of 3^5 bytes turns: it stays in the fastest cache."""


class FramedBoard:
    """The cells of a board as frame and core, and what each way makes of their numbers."""

    def __init__(self, board: Board) -> None:
        self.board = board
        most = 6 if board.shape == "hexhex" else 4
        self.frame = [i for i, near in enumerate(board.neighbours) if len(near) < most]
        orbits = _orbits(board, [i for i in range(len(board)) if i not in self.frame])
        self.core = [cell for orbit in orbits for cell in orbit]
        tail = 0
        while orbits and tail + len(orbits[-1]) <= MAX_TAIL_CELLS:
            tail += len(orbits.pop())
        self.cut = len(self.core) - tail
        """Where the tail of a core begins: cells that every way takes into each other."""
        self.tail_size, self.core_size = 3**tail, 3 ** len(self.core)
        self.ways = [(view, swap) for swap in (False, True) for view in permutations(board)]
        """Each symmetry, and whether the colours are exchanged; the first one changes nothing."""

    def _images(self, cells: Sequence[int], part: Sequence[int]) -> np.ndarray:
        """Return what each way makes of the fillings of `part`, as digits in numbers of `cells`."""
        weight = {cell: 3 ** (len(cells) - 1 - place) for place, cell in enumerate(cells)}
        found = []
        for view, is_exchanged in self.ways:
            image = np.zeros(1, dtype=np.int32)
            for cell in part:
                digits = (_EXCHANGED if is_exchanged else _KEPT) * weight[view[cell]]
                image = (image[:, None] + digits.astype(np.int32)).ravel()
            found.append(image)
        return np.array(found)

    @cached_property
    def core_images(self) -> tuple[np.ndarray, np.ndarray]:
        """What each way makes of the head and of the tail of a core: (ways, size), int32, uint8."""
        heads, tails = self.core[: self.cut], self.core[self.cut :]
        return self._images(heads, heads), self._images(tails, tails).astype(np.uint8)

    def split(self, stones: Sequence[int]) -> tuple[int, int]:
        """Return the numbers of a position's frame and core."""
        return number_of(stones, self.frame), number_of(stones, self.core)

    def lowest(self, frame: int, core: int) -> tuple[int, int]:
        """Return the numbers of frame and core as the way to the lowest frame sees them."""
        high, low = self.frame_halves
        size = low.shape[1]
        seen = high[:, frame // size] + low[:, frame % size]
        way = int(np.argmin(seen))
        heads, tails = self.core_images
        head, tail = divmod(core, self.tail_size)
        return int(seen[way]), int(heads[way, head]) * self.tail_size + int(tails[way, tail])

    @cached_property
    def frame_halves(self) -> tuple[np.ndarray, np.ndarray]:
        """Two shares in what each way makes of a frame: those of its first and last cells."""
        cut = len(self.frame) // 2
        return (
            self._images(self.frame, self.frame[:cut]),
            self._images(self.frame, self.frame[cut:]),
        )

    def lowest_frames(self, stones: int) -> np.ndarray:
        """Return the lowest frames with as many stones as given, in increasing order."""
        cells = len(self.frame)
        places = np.array(list(combinations(range(cells), stones)), dtype=np.int32)
        drops = np.array(list(product((1, 2), repeat=stones)), dtype=np.int32)
        taken = (3**places @ drops.T).ravel()
        numbers = np.sort(3**cells - 1 - taken)
        high, low = self.frame_halves
        first, last = np.divmod(numbers, low.shape[1])
        return numbers[np.all(high[:, first] + low[:, last] >= numbers, axis=0)]

    def rows(self) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Return the lowest frames by their empty cells, and the row and the way of every frame.

        A row is counted among the lowest frames with as many empty cells, in increasing order; the
        way takes the frame there. int32, int32 and uint8.
        """
        size = 3 ** len(self.frame)
        row, way = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.uint8)
        counts = np.zeros(len(self.frame) + 1, dtype=np.int64)
        empty = empty_cells(len(self.frame))
        find_rows(*self.frame_halves, empty, row, way, counts)
        lowest = np.flatnonzero(way == len(self.ways)).astype(np.int32)
        way[lowest] = 0
        by_layer = empty[lowest]
        return [lowest[by_layer == k] for k in range(len(counts))], row, way


def number_of(stones: Sequence[int], cells: Sequence[int]) -> int:
    """Return the number of the stones on `cells`."""
    number = 0
    for cell in cells:
        number = number * 3 + (EMPTY_DIGIT if stones[cell] == EMPTY else stones[cell] - 1)
    return number


def empty_cells(cells: int) -> np.ndarray:
    """Return the empty cells of every number with that many digits, uint8."""
    found = np.zeros(1, dtype=np.uint8)
    for _ in range(cells):
        found = (found[:, None] + np.array([0, 0, 1], dtype=np.uint8)).ravel()
    return found


def _orbits(board: Board, cells: Sequence[int]) -> list[list[int]]:
    """Return the cells in sets that the symmetries take into themselves, the largest first."""
    found: dict[frozenset[int], list[int]] = {}
    for cell in cells:
        found.setdefault(frozenset(view[cell] for view in permutations(board)), []).append(cell)
    return sorted(found.values(), key=len, reverse=True)
