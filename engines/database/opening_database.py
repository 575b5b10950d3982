"""Finding the values of all positions of Odd on a board of up to 25 cells, up to symmetry.

Only the positions with a few stones are kept. What follows from those is found again when it is
asked for (`engines/solver/odd_endings.py`).
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from hashlib import sha256
from operator import add
from shutil import disk_usage
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.database.files import (
    FACTS,
    DatabaseError,
    Folder,
    damage,
    in_parts,
    unreadable,
)
from oddly.engines.database.framed_layers import solve_full_rows, solve_rows, spread_sets
from oddly.engines.database.opening_table import OpeningTable, table_of
from oddly.games import EMPTY, Colour, Game, Odd, Position, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


MAX_STONES = 6
MAX_CELLS = 25
ROWS_AT_ONCE = 256
WIDTHS = 8, 16
"""How many thresholds a pass may find values for."""
TABLE = "opening.xz"
GIGABYTE = 10**9


class Layer(NamedTuple):
    """A layer's lowest frames, and the row and the way of every frame."""

    lowest: np.ndarray
    row: np.ndarray
    way: np.ndarray


class OpeningDatabase:
    """The winners in all positions with at most `most` stones, as far as the folder has them.

    One pass finds the values for `planes` thresholds, 8 or 16: twice as many need twice the memory
    and half the time. Raises DatabaseError for a game or board that has none.
    """

    def __init__(self, game: Game, path: Path, most: int = MAX_STONES, planes: int = 8) -> None:
        if not isinstance(game, Odd):
            raise DatabaseError(f"there are no openings of {game.title}, only of Odd")
        if len(game.board) > MAX_CELLS:
            raise DatabaseError(
                f"{game} has {len(game.board)} cells: openings go up to {MAX_CELLS}"
            )
        self.game = game
        header = {"game": game.name, "size": game.size, "board": game.board.shape, "most": most}
        self.folder = Folder(path, header, ())
        self.thresholds = tuple(range(1, len(game.board) + 1))
        self._most, self._planes = most, planes
        self._follow_facts()

    def _follow_facts(self) -> None:
        """Take the width of a pass, and the table if it is there, from what the facts say."""
        path = self.folder.path
        planes = self.folder.facts.setdefault("planes", self._planes)
        if planes not in WIDTHS:
            raise damage(f"{path / FACTS}: planes is {planes!r}, expected 8 or 16", path)
        if self.is_complete:
            digest = self.folder.facts["sha256"]
            self.table = table_of(self.game.board, self._most, path / TABLE, digest)
        else:
            self.table = OpeningTable(self.game.board, self._most)
        self._dtype = np.dtype(np.uint8 if planes == 8 else np.uint16)
        self._passes = range(0, self.table.thresholds, planes)

    @property
    def is_complete(self) -> bool:
        """Whether the table is there."""
        return "sha256" in self.folder.facts

    def make(self, threads: int = 1, progress: Callable[[int, int], None] | None = None) -> None:
        """Find what is missing, from the full board down, and keep each layer until it is used.

        `progress` receives the number of positions done and in all, from time to time. Raises
        DatabaseError for damaged layers of an earlier run or if another process makes them now,
        OSError if one cannot be written.
        """
        if self.is_complete:
            return
        with self.folder.held():
            self._follow_facts()
            if not self.is_complete:
                self._make(threads, progress)

    def _make(self, threads: int, progress: Callable[[int, int], None] | None) -> None:
        frames, row, way = self.table.framed.rows()
        self._refuse_without_room([len(lowest) for lowest in frames])
        total = sum(map(len, frames)) * self.table.framed.core_size * len(self._passes)
        done = 0
        for shift in self._passes:
            above = None
            for empty, lowest in enumerate(frames):
                size = len(lowest) * self.table.framed.core_size
                if f"{shift}-{empty}" not in self.folder.facts["layers"]:
                    began = monotonic()
                    values = self._new_rows(shift, empty, len(lowest))
                    if above is None and empty:
                        above = self._rows(shift, empty - 1)
                    for rows in self._solved(
                        shift, Layer(lowest, row, way), above, values, threads
                    ):
                        if progress is not None:
                            progress(done + rows * self.table.framed.core_size, total)
                    self._keep(shift, empty, values, monotonic() - began)
                    above = values
                done += size
                if progress is not None:
                    progress(done, total)
        self._finish()

    def _refuse_without_room(self, rows: list[int]) -> None:
        """Raise DatabaseError if two layers do not fit on the disk, or one in memory."""
        row = self.table.framed.core_size * self._dtype.itemsize
        on_disk = max(map(add, rows, [0, *rows])) * row
        in_memory = max(rows) * row
        free = disk_usage(self.folder.path).free + sum(
            file.stat().st_size for file in self.folder.path.glob("rows-*")
        )
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        for what, need, there in (
            (f"on the disk of {self.folder.path}", on_disk, free),
            ("of memory", in_memory, memory),
        ):
            if there < need:
                raise DatabaseError(
                    f"{self.game} needs {need / GIGABYTE:.0f} GB {what}, and there are "
                    f"{there / GIGABYTE:.0f} GB"
                )

    def _solved(
        self, shift: int, layer: Layer, above: np.ndarray | None, values: np.ndarray, threads: int
    ) -> Iterator[int]:
        """Fill `values`; return an iterator over the number of rows done from time to time."""
        framed, rows = self.table.framed, len(layer.lowest)
        sets = [
            np.array([1 << cell for cell in reversed(cells)], dtype=np.int64)
            for cells in (framed.frame, framed.core)
        ]
        full = *sets, spread_sets(self.game.board), shift, framed.tail_size
        partly = len(framed.frame), layer.row, layer.way, *framed.core_images, above

        def solve(first: int) -> None:
            last = min(first + ROWS_AT_ONCE, rows)
            if above is None:
                solve_full_rows(first, last, layer.lowest, *full, values)
            else:
                solve_rows(first, last, layer.lowest, *partly, values)

        return in_parts(solve, rows, ROWS_AT_ONCE, threads)

    def winner(self, position: Position) -> Colour:
        """Return who wins a position. Raises DatabaseError if it has too many stones."""
        mover = position.to_move
        threshold = int(str(position.game.settings["min_group"]))
        return mover if self.table.mover_wins(position.stones, threshold) else mover.other

    def check(self, samples: int, seed: int = 0) -> int:
        """Derive `samples` values again from the rules, and return how many positions that took.

        Raises DatabaseError for the first position whose value does not follow from the next ones.
        """
        draw = random.Random(seed)
        for _ in range(samples):
            position = self._random_position(draw)
            mover = position.to_move
            wins = any(self.winner(position.play(t)) is mover for t in position.legal_turns())
            if (self.winner(position) is mover) != wins:
                raise damage(
                    f"the value of the position with stones {list(position.stones)} at "
                    f"{position.game} does not follow from the positions after it",
                    self.folder.path,
                )
        return samples

    def _random_position(self, draw: random.Random) -> Position:
        """Return a random position at a random threshold, with fewer than the most stones."""
        cells = len(self.game.board)
        game = replace(self.game, min_group=draw.randint(1, self.table.thresholds + 1))
        stones = [EMPTY] * cells
        places = draw.sample(range(cells), draw.randrange(self.table.most))
        for cell in places:
            stones[cell] = draw.choice(tuple(Colour))
        to_move = Colour.WHITE if len(places) % 2 else Colour.BLACK
        return game.set_up(stones, to_move, Status())

    def _file(self, shift: int, empty: int) -> Path:
        return self.folder.path / f"rows-{shift:02}-{empty:02}.values"

    def _section(self, shift: int, stones: int) -> Path:
        return self.folder.path / f"section-{shift:02}-{stones}.npy"

    def _new_rows(self, shift: int, empty: int, rows: int) -> np.ndarray:
        """Return room for the rows of a layer, in a file with a temporary name."""
        file = self._file(shift, empty).with_suffix(".part")
        shape = rows, self.table.framed.core_size
        return np.memmap(file, dtype=self._dtype, mode="w+", shape=shape)

    def _rows(self, shift: int, empty: int) -> np.ndarray:
        file = self._file(shift, empty)
        try:
            values = np.memmap(file, dtype=self._dtype, mode="r")
            return values.reshape(-1, self.table.framed.core_size)
        except (OSError, ValueError) as error:
            raise unreadable(file, error) from None

    def _keep(self, shift: int, empty: int, values: np.ndarray, seconds: float) -> None:
        """Enter a layer as finished, save what the table needs, and drop the layer before."""
        stones = len(self.table.framed.frame) - empty
        if stones <= self.table.most:
            np.save(self._section(shift, stones), values[:, self.table.cores(stones)])
        file = self._file(shift, empty)
        file.with_suffix(".part").replace(file)
        layer = {"positions": values.size, "seconds": round(seconds, 3)}
        self.folder.facts["layers"][f"{shift}-{empty}"] = layer
        self.folder.save_facts()
        # The last layer of a pass is one row, and is all that stays.
        self._file(shift, empty - 1).unlink(missing_ok=True)

    def _finish(self) -> None:
        """Put the sections of all passes together."""
        sections = []
        for stones in range(len(self.table.frames)):
            values = [
                np.load(self._section(p, stones)).astype(np.uint32) << p for p in self._passes
            ]
            sections.append(np.bitwise_or.reduce(values))
        self.table.fill(sections)
        packed = self.table.packed()
        self.folder.write(self.folder.path / TABLE, packed)
        self.folder.facts["sha256"] = sha256(packed).hexdigest()
        self.folder.save_facts()
        for stale in (*self.folder.path.glob("section-*"), *self.folder.path.glob("rows-*")):
            stale.unlink()
