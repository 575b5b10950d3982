"""The winners of all positions of Odd with a few stones, packed for every threshold.

The table has a section for each number of stones on the frame, in it a row for each of the lowest
frames (`framed_board.py`), and in that a bit for each core with no more stones than are left: 1 if
the side to move wins. A plane is such a table for one threshold; the file has plane after plane,
packed by LZMA.
"""

from __future__ import annotations

import lzma
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.database.files import DatabaseError
from oddly.engines.database.framed_board import FramedBoard, empty_cells
from oddly.games import EMPTY, Colour

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oddly.games import Board


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
        """Return the cores that the table has for frames with as many stones as given."""
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
        """How many positions the table has, up to symmetry."""
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
            # White wins, who moves after an odd number of stones.
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
        """Read the planes. Raises DatabaseError if the file is gone or another than it was."""
        try:
            packed = file.read_bytes()
        except OSError as error:
            raise DatabaseError(f"{file} cannot be read: {error}") from None
        if sha256(packed).hexdigest() != digest:
            raise DatabaseError(f"{file} is damaged: its SHA-256 is not the one that was written")
        planes = np.frombuffer(lzma.decompress(packed), dtype=np.uint8)
        self.planes = planes.reshape(-1, -(-self.positions // 8))


@cache
def table_of(board: Board, most: int, file: Path, digest: str) -> OpeningTable:
    """Return the table in a file with that SHA-256, read once. Raises DatabaseError."""
    table = OpeningTable(board, most)
    table.unpack(file, digest)
    return table
