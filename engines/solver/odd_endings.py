"""Who wins Odd when up to 19 cells are empty: all fillings of them, from the full board down.

This takes no search and no luck: the time depends on the number of empty cells alone. A word holds
the fillings of three cells, a bit each; the words stand for the fillings of the other cells, in
the numbers of `engines/database/framed_board.py`. So a drop leads to a smaller number, and one pass
through the words in increasing order finds all values (`framed_layers.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.database.framed_layers import (
    ALL_PACKED,
    PACKED_CELLS,
    odd_counts,
    solve_core,
    spread_sets,
)
from oddly.engines.kernels.jit import HAS_NUMBA, compiled
from oddly.games import EMPTY, Colour, Drop, Drops, Odd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.games import Position, Turn

MAX_EMPTY = 19
"""20 empty cells would take 0.5 GB, and 3 seconds or more."""
FILLINGS_A_SECOND = 5e8
"""About what one core does."""
BLOCK_CELLS = 5
WORDS_AT_ONCE = 3**11


def is_an_ending(position: Position) -> bool:
    """Return whether `winning_drop` is for a position."""
    return HAS_NUMBA and type(position.game) is Odd and position.stones.count(EMPTY) <= MAX_EMPTY


def seconds_for(position: Position) -> float:
    """Return about how long `winning_drop` takes."""
    return float(3 ** position.stones.count(EMPTY)) / FILLINGS_A_SECOND


def winning_drop(position: Position, progress: Callable[[int], None] | None = None) -> Turn | None:
    """Return a turn that wins a position of Odd with at most MAX_EMPTY empty cells.

    None if every turn loses. `progress` gets the fillings that are done, some times a second, and
    may end it by an exception. Raises MemoryError if there is no room for 4 bytes a word.
    """
    board, threshold = position.game.board, int(str(position.game.settings["min_group"]))
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    cells, packed = empty[:-PACKED_CELLS], empty[-PACKED_CELLS:]
    values = np.full(3 ** len(cells), ALL_PACKED, dtype=np.uint32)
    black = sum(1 << cell for cell, stone in enumerate(position.stones) if stone == Colour.BLACK)
    bits = [_sets(cells), _sets(packed)]
    _judge_full_boards(len(board), black, *bits, spread_sets(board), threshold, values)
    block = 3 ** min(BLOCK_CELLS, len(cells))
    for first in range(0, len(values), WORDS_AT_ONCE):
        last = min(first + WORDS_AT_ONCE, len(values))
        solve_core(values, first, last, block, True)
        if progress is not None:
            progress(last * 3**PACKED_CELLS)
    for turn, mover_wins in _after_drops(position, cells, packed, values):
        if not mover_wins:
            return turn
    return None


def rehearse() -> None:
    """Call everything once, so that it is compiled."""
    winning_drop(Odd(2).start())


def _sets(cells: list[int]) -> np.ndarray:
    return np.array([1 << cell for cell in reversed(cells)], dtype=np.int64)


def _after_drops(
    position: Position, cells: list[int], packed: list[int], values: np.ndarray
) -> Iterator[tuple[Turn, bool]]:
    """Yield each drop, and whether the side then to move wins."""
    vertices, top = position.game.board.vertices, 3 ** len(packed) - 1
    for part, is_packed in ((cells, False), (packed, True)):
        for place, cell in enumerate(part, start=1):
            for colour, less in ((Colour.BLACK, 2), (Colour.WHITE, 1)):
                down = less * 3 ** (len(part) - place)
                word, bit = (-1, top - down) if is_packed else (-1 - down, top)
                drop = Drop(colour, vertices[cell])
                yield Drops((drop,)), bool(int(values[word]) >> bit & 1)


@compiled
def _filling(colours, bits):  # type: ignore[no-untyped-def]
    """Return the black stones of a filling, and its number; a bit of `colours` is 1 for white."""
    black, number, step = np.int64(0), np.int64(0), np.int64(1)
    for place in range(len(bits)):
        if colours >> place & 1:
            number += step
        else:
            black |= bits[place]
        step *= 3
    return black, number


@compiled
def _judge_full_boards(size, black, bits, packed, spread, threshold, values):  # type: ignore[no-untyped-def]
    """Write the complement of who wins each full board to its bit.

    `black` is the set of black stones that lie there, `bits` and `packed` the sets of one empty
    cell, from the last digit to the first.
    """
    board = (np.int64(1) << size) - 1
    # On a full board an even number of stones means that Black would move, who wins if it is odd.
    flip = 1 - size % 2
    for colours in range(np.int64(1) << len(bits)):
        high, word = _filling(colours, bits)
        high |= black
        loses = np.int64(values[word])
        for filling in range(1 << len(packed)):
            low, bit = _filling(filling, packed)
            filled = high | low
            odd = odd_counts(filled, spread) ^ odd_counts(board ^ filled, spread)
            if (odd >> (threshold - 1) & 1) ^ flip == 0:
                loses &= ~(np.int64(1) << bit)
        values[word] = loses
