"""The values of all positions that a small game of Ayu can reach, on disk.

A position is a number, its key: the pieces of the player to move in the lower bits, one for each
cell, and the other's above them. The rules know no direction, so a key stands for the positions
that the symmetries of the square make of it: it is the least of theirs. The start of a game is the
same for both players but for such a symmetry, so a key need not say whose turn it is.

A value is for play without a past. Values are found by going through all positions again and again,
those that come late in a game first. The player to move wins if there is no move, or one to a
position that the other loses, and loses if all moves lead to positions that the other wins. What is
open when nothing changes any more is a draw, since play can go round for ever.
"""

from __future__ import annotations

import random
from functools import cached_property
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.database.files import DatabaseError, Folder, damage
from oddly.engines.database.layers import group_at, neighbour_sets
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.games import Ayu, Colour, Game, Position, Status
from oddly.games.board import permutations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


OPEN, WON, LOST = 0, 1, 2
MAX_MOVES = 512
"""More moves than any position of 25 cells has."""


def compiled_here(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code if there is Numba; the code is not cached: it runs once."""
    if not HAS_NUMBA:
        return function
    import numba

    found: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy")(function)
    return found


@compiled_here
def neighbours_of(cells_set, neighbours):  # type: ignore[no-untyped-def]
    """Return the cells beside those of a set."""
    near, cell = np.int64(0), 0
    while cells_set:
        if cells_set & 1:
            near |= neighbours[cell]
        cells_set >>= 1
        cell += 1
    return near


@compiled_here
def distance_of(unit, own, empty, neighbours):  # type: ignore[no-untyped-def]
    """Return the number of empty points from a unit to its closest friend; -1 without a path."""
    friends = own & ~unit
    reached = unit
    steps = 0
    while friends:
        near = neighbours_of(reached, neighbours)
        if near & friends:
            return steps
        more = near & empty & ~reached
        if not more:
            break
        reached |= more
        steps += 1
    return -1


@compiled_here
def find_moves(own, other, neighbours, found):  # type: ignore[no-untyped-def]
    """Write the mover's pieces after each of its moves to `found`; return how many there are."""
    full = (np.int64(1) << len(neighbours)) - 1
    empty = full & ~(own | other)
    number = 0
    units = own
    while units:
        unit = group_at(own, units & -units, neighbours)
        units &= ~unit
        distance = distance_of(unit, own, empty, neighbours)
        origins = unit if distance > 0 else np.int64(0)
        while origins:
            origin = origins & -origins
            origins &= origins - 1
            rest = unit & ~origin
            targets = neighbours_of(rest or unit, neighbours) & empty
            while targets:
                target = targets & -targets
                targets &= targets - 1
                after = (own & ~origin) | target
                moved = group_at(after, target, neighbours)
                if rest & ~moved:
                    continue
                is_joined = moved & ~(rest | target) != 0
                left = distance_of(moved, after, (empty & ~target) | origin, neighbours)
                if is_joined or 0 <= left < distance:
                    found[number] = after
                    number += 1
    return number


@compiled_here
def canonical(own, other, maps):  # type: ignore[no-untyped-def]
    """Return the key of a position. `maps` has a row for each symmetry: where each cell goes."""
    cells = maps.shape[1]
    least = np.int64(-1)
    for row in range(len(maps)):
        key = np.int64(0)
        for cell in range(cells):
            to = maps[row, cell]
            key |= (own >> cell & 1) << to | (other >> cell & 1) << (to + cells)
        if least < 0 or key < least:
            least = key
    return least


@compiled_here
def slot_of(key, table):  # type: ignore[no-untyped-def]
    """Return the slot of a key, or a free one for it, in a table whose size is a power of two."""
    mask = len(table) - 1
    slot = (key * np.int64(0x9E3779B97F4A7C1)) >> 17 & mask
    while table[slot] and table[slot] != key:
        slot = slot + 1 & mask
    return slot


@compiled_here
def find_positions(first, neighbours, maps, table, order, done, number, moves, limit):  # type: ignore[no-untyped-def]
    """Continue a breadth-first search; return the numbers of positions done and known.

    `order` holds the slots of the positions in the order of their discovery. At most `limit`
    positions are looked at; there is none left when both numbers are equal. Where the table or
    `order` is too small, the number known is -1.
    """
    if number == 0:
        slot = slot_of(first, table)
        table[slot], order[0] = first, slot
        number = 1
    cells = len(neighbours)
    full = (np.int64(1) << cells) - 1
    last = min(done + limit, number)
    while done < last:
        key = table[order[done]]
        own, other = key & full, key >> cells
        done += 1
        for place in range(find_moves(own, other, neighbours, moves)):
            after = canonical(other, moves[place], maps)
            slot = slot_of(after, table)
            if not table[slot]:
                if number == len(order):
                    return done, -1
                table[slot], order[number] = after, slot
                number += 1
    return done, number


@compiled_here
def sweep(neighbours, maps, table, order, number, values, moves):  # type: ignore[no-untyped-def]
    """Find the values that follow from known ones, late positions first; return their number."""
    cells = len(neighbours)
    full = (np.int64(1) << cells) - 1
    changed = 0
    for place in range(number - 1, -1, -1):
        slot = order[place]
        if values[slot] != OPEN:
            continue
        key = table[slot]
        own, other = key & full, key >> cells
        count = find_moves(own, other, neighbours, moves)
        value = LOST
        if count == 0:
            value = WON
        for move in range(count):
            after = values[slot_of(canonical(other, moves[move], maps), table)]
            if after == LOST:
                value = WON
                break
            if after == OPEN:
                value = OPEN
        if value != OPEN:
            values[slot] = value
            changed += 1
    return changed


TABLE_BITS = {3: 8, 5: 24}
"""Bits of a slot's number in the hash table, by board size: 5x5 has 2.2 million positions."""

POSITIONS_AT_ONCE = 1 << 16
"""Positions that are looked at between two reports of progress."""

KEYS = "keys.i64"
LAYER = 0
"""All positions are one layer, with two planes: those that the player to move wins, and loses."""


class AyuDatabase:
    """The winner in every position that a game of Ayu can reach, without a past.

    A repeated position is a draw, so a value holds only for a position without a past.
    Raises DatabaseError for another game, a pie rule, or a board larger than 5x5.
    """

    def __init__(self, game: Game, path: Path) -> None:
        if not isinstance(game, Ayu) or game.pie:
            raise DatabaseError(f"{game} has no database: only Ayu without the pie rule")
        if game.size not in TABLE_BITS:
            raise DatabaseError(f"{game} has no database: those of Ayu go up to 5x5")
        self.game = game
        self.thresholds: tuple[int, ...] = ()
        header = {"game": game.name, "size": game.size, "board": game.board.shape, "thresholds": []}
        self.folder = Folder(path, header, (0, 1))

    @property
    def is_complete(self) -> bool:
        """Whether all values are there."""
        return self.folder.has(LAYER)

    def make(self, threads: int = 1, progress: Callable[[int, int], None] | None = None) -> None:
        """Find all positions and their values, unless they are there; one thread does it.

        `progress` gets the positions that were looked at and those known so far. Raises OSError if
        a file cannot be written, DatabaseError if another process makes the database now or there
        are more positions than expected.
        """
        if self.is_complete:
            return
        with self.folder.held():
            if not self.is_complete:
                self._make(progress)

    def _make(self, progress: Callable[[int, int], None] | None) -> None:
        began = monotonic()
        table = np.zeros(1 << TABLE_BITS[self.game.size], dtype=np.int64)
        order = np.zeros(len(table) // 2, dtype=np.int64)
        moves = np.zeros(MAX_MOVES, dtype=np.int64)
        tables = self._neighbours, self._maps
        first, done, number = self.key(self.game.start()), 0, 0
        while number == 0 or done < number:
            done, number = find_positions(
                first, *tables, table, order, done, number, moves, POSITIONS_AT_ONCE
            )
            if number < 0:
                raise DatabaseError(f"{self.game} has more positions than there is room for")
            if progress is not None:
                progress(done, number)
        values = np.zeros(len(table), dtype=np.uint8)
        while sweep(*tables, table, order, number, values, moves):
            if progress is not None:
                progress(done, number)
        keys = table[order[:number]]
        ranks = np.argsort(keys)
        found = values[order[:number]][ranks]
        self._save(keys[ranks], found, round(monotonic() - began, 3))

    def winner(self, position: Position) -> Colour | None:
        """Return who wins `position` with perfect play; None for a draw.

        Raises DatabaseError if no game reaches it.
        """
        return self._stored(position) if position.result is None else position.result.winner

    def check(self, samples: int, seed: int = 0) -> int:
        """Derive `samples` values again from the rules, and return how many positions that took.

        Raises DatabaseError for the first position whose value does not follow from the next ones.
        """
        draw = random.Random(seed)
        for _ in range(samples):
            position = self.position_of(int(draw.choice(self._keys)))
            if position.result is not None:
                expected = position.result.winner
            else:
                after = {self.winner(position.play(turn)) for turn in position.legal_turns()}
                mover = position.to_move
                expected = mover if mover in after else None if None in after else mover.other
            if self.winner(position) is not expected or self._stored(position) is not expected:
                raise damage(
                    f"the value of the position with pieces {list(position.stones)}, "
                    f"{position.to_move} to move, does not follow from the positions after it",
                    self.folder.path,
                )
        return samples

    def key(self, position: Position) -> int:
        """Return the key of a position, which its images under a symmetry share."""
        own, other = (
            sum(1 << cell for cell, stone in enumerate(position.stones) if stone == side)
            for side in (position.to_move, position.to_move.other)
        )
        return int(canonical(np.int64(own), np.int64(other), self._maps))

    def position_of(self, key: int) -> Position:
        """Return the position with that key and Black to move."""
        cells = len(self.game.board)
        stones = [
            Colour.BLACK if key >> cell & 1 else Colour.WHITE if key >> cells + cell & 1 else 0
            for cell in range(cells)
        ]
        return self.game.set_up(stones, Colour.BLACK, Status())

    def _stored(self, position: Position) -> Colour | None:
        """Return who wins by the files, also if the game is over; None for a draw.

        Raises DatabaseError if no game reaches the position.
        """
        key = self.key(position)
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or self._keys[place] != key:
            raise DatabaseError("no game reaches this position")
        if self.folder.value(LAYER, 0, place):
            return position.to_move
        return position.to_move.other if self.folder.value(LAYER, 1, place) else None

    def _save(self, keys: np.ndarray, values: np.ndarray, seconds: float) -> None:
        data = keys.astype("<i8").tobytes()
        (self.folder.path / KEYS).write_bytes(data)
        planes = (values == WON).astype(np.uint8) | (values == LOST).astype(np.uint8) << 1
        numbers = {name: int(np.count_nonzero(values == v)) for name, v in VALUES.items()}
        self.folder.save(
            LAYER, planes, keys=sha256(data).hexdigest(), seconds=seconds, numbers=numbers
        )

    @cached_property
    def _keys(self) -> np.ndarray:
        file = self.folder.path / KEYS
        try:
            found = np.fromfile(file, dtype="<i8")
        except OSError as error:
            raise damage(f"{file} cannot be read: {error.strerror}", self.folder.path) from None
        layer = self.folder.facts["layers"][str(LAYER)]
        if sha256(found.tobytes()).hexdigest() != layer.get("keys"):
            raise damage(f"{file} is damaged", self.folder.path)
        return found

    @cached_property
    def _neighbours(self) -> np.ndarray:
        return neighbour_sets(self.game.board)

    @cached_property
    def _maps(self) -> np.ndarray:
        return np.array(permutations(self.game.board), dtype=np.int64)


VALUES = {"won": WON, "lost": LOST, "drawn": OPEN}
"""The values by what they are to the player to move."""
