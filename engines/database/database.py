"""The values of all positions of a small board: finding them, asking for one, checking them."""

from __future__ import annotations

import random
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.database.files import DatabaseError, Folder, damage, in_parts
from oddly.engines.database.layers import (
    MAX_CELLS,
    group_counts,
    layer_size,
    new_ranks,
    number_of,
    occupied_sets,
    parities,
    solve_odd_layer,
    solve_yodd_layer,
)
from oddly.games import EMPTY, Colour, Game, GameError, Odd, Position, Status, Yodd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


POSITIONS_AT_ONCE = 1 << 20
"""About what a thread solves between two reports of progress."""


class Database:
    """The winner in every position of `game`, as far as its folder has them.

    `thresholds` are those of Odd to find values for, by default the game's own; the other games
    have one plane of values. Raises DatabaseError for a game or board that has no databases.
    """

    def __init__(self, game: Game, path: Path, thresholds: tuple[int, ...] | None = None) -> None:
        if not isinstance(game, Yodd | Odd):
            raise DatabaseError(
                f"there are no databases of {game.title}, only of Yodd, Xodd, Odd and Ayu"
            )
        if len(game.board) > MAX_CELLS:
            raise DatabaseError(
                f"{game} has {len(game.board)} cells: databases go up to {MAX_CELLS}"
            )
        self.game = game
        self.cells = len(game.board)
        if isinstance(game, Odd):
            self.thresholds = thresholds or (game.min_group,)
            planes = tuple(t - 1 for t in self.thresholds if t <= self.cells)
        else:
            self.thresholds, planes = (), (0,)
        header = {
            "game": game.name,
            "size": game.size,
            "board": game.board.shape,
            "thresholds": list(self.thresholds),
        }
        self.folder = Folder(path, header, planes)

    @property
    def is_complete(self) -> bool:
        """Whether every layer is there."""
        return all(self.folder.has(stones) for stones in range(self.cells + 1))

    def make(self, threads: int = 1, progress: Callable[[int, int], None] | None = None) -> None:
        """Find the layers that are missing, from the full board down, and write each when found.

        `progress` receives the number of positions done and in all, from time to time. Raises
        DatabaseError for damaged layers of an earlier run or if another process makes them now,
        OSError if one cannot be written.
        """
        if not self.is_complete:
            with self.folder.held():
                self._make(threads, progress)

    def _make(self, threads: int, progress: Callable[[int, int], None] | None) -> None:
        total = sum(layer_size(self.cells, stones) for stones in range(self.cells + 1))
        done = 0
        above = [np.zeros(1, dtype=self.folder.dtype)] * 2
        for stones in range(self.cells, -1, -1):
            began = monotonic()
            size = layer_size(self.cells, stones)
            if self.folder.has(stones):
                # Only the last two finished layers are needed.
                is_needed = not all(self.folder.has(k) for k in (stones - 1, stones - 2) if k >= 0)
                values = self.folder.load(stones) if is_needed else above[0]
            else:
                values = np.empty(size, dtype=self.folder.dtype)
                for solved in self._solved(stones, values, above, threads):
                    if progress is not None:
                        progress(done + solved, total)
                self.folder.save(
                    stones, values, wins=self._wins(values), seconds=round(monotonic() - began, 3)
                )
            above = [values, above[0]]
            done += size
            if progress is not None:
                progress(done, total)

    def winner(self, position: Position) -> Colour:
        """Return who wins `position` with perfect play.

        Raises DatabaseError if its layer is missing.
        """
        if position.result is not None:
            if position.result.winner is None:
                raise DatabaseError("the game is drawn")
            return position.result.winner
        mover = position.to_move
        if isinstance(self.game, Odd):
            threshold = position.game.settings["min_group"]
            if not isinstance(threshold, int) or threshold > self.cells:
                return Colour.WHITE
            if threshold not in self.thresholds:
                raise DatabaseError(
                    f"the database has no values for groups of {threshold}, only of "
                    + ", ".join(map(str, self.thresholds))
                )
            black_wins = self._bit(position, threshold - 1, exchanged=False)
            return Colour.BLACK if black_wins else Colour.WHITE
        if position.status.passes and position.group_counts.lead(mover) > 0:
            return mover
        mover_wins = self._bit(position, 0, exchanged=mover is Colour.WHITE)
        return mover if mover_wins else mover.other

    def check(self, samples: int, seed: int = 0) -> int:
        """Derive `samples` values again from the rules, and return how many positions that took.

        Raises DatabaseError for the first position whose value does not follow from the next ones.
        """
        draw = random.Random(seed)
        checked = 0
        while checked < samples:
            position = self._random_position(draw)
            if position is None or position.is_over:
                continue
            mover = position.to_move
            wins = any(self.winner(position.play(t)) is mover for t in position.legal_turns())
            if (self.winner(position) is mover) != wins:
                raise damage(
                    f"the value of the position with stones {list(position.stones)}, {mover} to "
                    "move, does not follow from the positions after it",
                    self.folder.path,
                )
            checked += 1
        return checked

    def _random_position(self, draw: random.Random) -> Position | None:
        """Return a random position; None if the rules do not allow the stones drawn."""
        stones = [draw.choice((EMPTY, *Colour)) for _ in range(self.cells)]
        filled = self.cells - stones.count(EMPTY)
        if isinstance(self.game, Odd):
            to_move = Colour.WHITE if filled % 2 else Colour.BLACK
        else:
            to_move = draw.choice(tuple(Colour))
        try:
            return self.game.set_up(stones, to_move, Status())
        except GameError:
            return None

    def _bit(self, position: Position, plane: int, *, exchanged: bool) -> bool:
        stones, number = number_of(position.stones, self._ranks)
        if not self.folder.has(stones):
            raise DatabaseError(f"{self.folder.path} has no values of positions of {stones} stones")
        if exchanged:
            number ^= (1 << stones) - 1
        return self.folder.value(stones, plane, number)

    def _solved(
        self, stones: int, values: np.ndarray, above: list[np.ndarray], threads: int
    ) -> Iterator[int]:
        """Fill `values`; return an iterator over the number of positions done from time to time."""
        sets = occupied_sets(self.cells, stones)
        step = max(1, POSITIONS_AT_ONCE >> stones)
        before = stones, self.cells, sets, self._ranks

        def solve(first: int) -> None:
            last = min(first + step, len(sets))
            if isinstance(self.game, Odd):
                solve_odd_layer(first, last, *before, self._parities, above[0], values)
            else:
                solve_yodd_layer(first, last, *before, self._groups, *above, values)

        return (done << stones for done in in_parts(solve, len(sets), step, threads))

    def _wins(self, values: np.ndarray) -> dict[str, int]:
        """Return how many of these positions Black wins, by plane."""
        return {
            str(plane): int(np.count_nonzero(values >> plane & 1)) for plane in self.folder.planes
        }

    @cached_property
    def _ranks(self) -> np.ndarray:
        return new_ranks(self.cells)

    @cached_property
    def _groups(self) -> np.ndarray:
        return group_counts(self.game.board)

    @cached_property
    def _parities(self) -> np.ndarray:
        return parities(self.game.board)
