"""The winners of all positions of Odd with a few stones, packed for every threshold.

A *frame* is the stones on the outer cells, those with fewer neighbours than a cell in the middle of
the board; the *core* is those on all others. Each is a number in base 3 with a digit for each cell:
0 is a black stone, 1 a white one, 2 an empty cell. So a drop always makes a smaller number.

Odd counts groups of both colours alike. A position is therefore worth the same after every symmetry
of the board, and with the colours exchanged. A *way* is one of these views. Of all frames that the
ways take into each other, the one with the lowest number has a row of values, one for each core.

The table has a section for each number of stones on the frame, in it a row for each of the lowest
frames, and in that a bit for each core with no more stones than are left: 1 if the side to move
wins. A plane is such a table for one threshold; the file has plane after plane, packed by LZMA.
"""

from __future__ import annotations

import lzma
from functools import cache, cached_property
from hashlib import sha256
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.database.files import DatabaseError, damage, unreadable
from oddly.engines.database.framed_layers import EMPTY_DIGIT, find_rows
from oddly.games import EMPTY, Board, Colour
from oddly.games.board import permutations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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
        """What each way makes of a frame, as two addends: from its first and its last cells."""
        cut = len(self.frame) // 2
        return (
            self._images(self.frame, self.frame[:cut]),
            self._images(self.frame, self.frame[cut:]),
        )

    def lowest_frames(self, stones: int) -> np.ndarray:
        """Return the lowest frames with that many stones, in increasing order."""
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

        A row is a lowest frame's rank among those with as many empty cells; the way takes the frame
        there. int32, int32 and uint8.
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
    """Return how many cells are empty in every number of `cells` digits, uint8."""
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


class OpeningTable:
    """The numbers of all positions with at most `most` stones, and the planes of their values."""

    def __init__(self, board: Board, most: int) -> None:
        self.board = board
        self.most = min(most, len(board))
        self.framed = FramedBoard(board)
        self.planes = np.zeros((0, 0), dtype=np.uint8)

    @property
    def thresholds(self) -> int:
        """The highest threshold at which Black can win a position with at most `most` stones.

        White answers every stone with one of the other colour, so a colour gets at most half of
        the empty cells, rounded up, beside the stones it has (docs/explanation/theorems.md).
        """
        return self.most + -(-(len(self.board) - self.most) // 2)

    @cached_property
    def _core_stones(self) -> np.ndarray:
        cells = len(self.framed.core)
        return cells - empty_cells(cells)

    def cores(self, stones: int) -> np.ndarray:
        """Return the cores that the table has for frames with that many stones."""
        return np.flatnonzero(self._core_stones <= self.most - stones)

    @cached_property
    def frames(self) -> list[np.ndarray]:
        """The lowest frames with 0 stones, 1 stone and so on."""
        most = min(self.most, len(self.framed.frame))
        return [self.framed.lowest_frames(stones) for stones in range(most + 1)]

    @cached_property
    def _starts(self) -> list[int]:
        """Where each section begins, and where the last one ends."""
        starts = [0]
        for stones, frames in enumerate(self.frames):
            starts.append(starts[-1] + len(frames) * len(self.cores(stones)))
        return starts

    @property
    def positions(self) -> int:
        """The number of positions in the table, up to symmetry."""
        return self._starts[-1]

    def place(self, stones: Sequence[int]) -> int:
        """Return which bit of a plane belongs to the position with these stones."""
        frame, core = self.framed.lowest(*self.framed.split(stones))
        on_frame = sum(stones[cell] != EMPTY for cell in self.framed.frame)
        rank = int(np.searchsorted(self.frames[on_frame], frame))
        cores = self.cores(on_frame)
        return self._starts[on_frame] + rank * len(cores) + int(np.searchsorted(cores, core))

    def mover_wins(self, stones: Sequence[int], threshold: int) -> bool:
        """Return whether the side to move wins. Raises DatabaseError for too many stones."""
        dropped = len(stones) - list(stones).count(EMPTY)
        if dropped > self.most:
            raise DatabaseError(
                f"the table has positions of up to {self.most} stones, and this one has {dropped}"
            )
        commonest = max(list(stones).count(colour) for colour in Colour)
        if threshold > commonest + -(-(len(stones) - dropped) // 2):
            # White, who moves after an odd number of stones, wins.
            return dropped % 2 == 1
        place = self.place(stones)
        return bool(self.planes[threshold - 1, place >> 3] >> (7 - (place & 7)) & 1)

    def fill(self, sections: Sequence[np.ndarray]) -> None:
        """Take in the values of the sections: a bit for each threshold in each number."""
        values = np.concatenate([section.ravel() for section in sections])
        self.planes = np.array(
            [np.packbits((values >> plane & 1) != 0) for plane in range(self.thresholds)]
        )

    def packed(self) -> bytes:
        """Return the contents of the file."""
        return lzma.compress(self.planes.tobytes(), preset=9 | lzma.PRESET_EXTREME)

    def unpack(self, file: Path, digest: str) -> None:
        """Read the planes. Raises DatabaseError if the file is missing or has changed."""
        try:
            packed = file.read_bytes()
        except OSError as error:
            raise unreadable(file, error) from None
        if sha256(packed).hexdigest() != digest:
            raise damage(
                f"{file} is damaged: its SHA-256 is not the one that was written", file.parent
            )
        planes = np.frombuffer(lzma.decompress(packed), dtype=np.uint8)
        self.planes = planes.reshape(-1, -(-self.positions // 8))


@cache
def table_of(board: Board, most: int, file: Path, digest: str) -> OpeningTable:
    """Return the table in a file with that SHA-256, read once. Raises DatabaseError."""
    table = OpeningTable(board, most)
    table.unpack(file, digest)
    return table
