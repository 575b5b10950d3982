"""The tables of a board of Ayu, and sets of its points as bits in words.

A set is W words of 64 bits; point i, an index of the board, is bit i % 64 of word i // 64. The
rows follow each other without a gap, so that a step up or down is a shift by the board's size,
and a step left or right is one by 1 that must not run over the edge.

Indices are unsigned on purpose, here and in the other files of Ayu: with signed ones Numba tests
each for being negative.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.engines.kernels.jit import inlined
from oddly.engines.kernels.numbers import WORD, U

if TYPE_CHECKING:
    from oddly.games import Board


CACHE_LINE = 64
"""Bytes; a vector that lies in two lines takes longer to read and to write."""

CENTRE = 4
"""The bit of the middle point in a pattern: 3 x 3 points, row by row from the lower left."""


class AyuTables(NamedTuple):
    """A board's tables; `keys` are for the hash: two for each point, and three more."""

    words: int
    room: int
    slots: int
    left_edge: np.ndarray
    right_edge: np.ndarray
    row: np.ndarray
    column: np.ndarray
    keys: np.ndarray


@cache
def tables(board: Board) -> AyuTables:
    """Return the tables of `board`.

    `room` is for the most units that a colour can have, and `slots` for the most pieces.
    """
    cells = len(board)
    words = -(-cells // WORD)
    column, row = (
        np.array(axis, np.uint64) - U(1) for axis in zip(*board.coordinates, strict=True)
    )
    keys = np.random.default_rng(cells).integers(
        1, 1 << 63, size=2 * cells + 3, dtype=np.uint64, endpoint=True
    )
    return AyuTables(
        words,
        rounded_up((cells + 1) // 2, BLOCK),
        rounded_up(cells, LANES),
        as_words(np.nonzero(column == 0)[0], words),
        as_words(np.nonzero(column == board.size - 1)[0], words),
        row,
        column,
        keys,
    )


def rounded_up(number: int, multiple: int) -> int:
    """Return the lowest multiple that is not below `number`."""
    return -(-number // multiple) * multiple


def aligned_zeros(length: int, kind: type[np.unsignedinteger[Any]]) -> np.ndarray:
    """Return an array of zeros that begins at a line of the processor's cache."""
    in_line = CACHE_LINE // np.dtype(kind).itemsize
    memory = np.zeros(length + in_line, kind)
    first = -memory.ctypes.data // memory.itemsize % in_line
    return memory[first : first + length]


def as_words(points: np.ndarray, words: int) -> np.ndarray:
    """Return a set of points as bits."""
    result = np.zeros(words, np.uint64)
    for point in points.tolist():
        result[point // WORD] |= U(1 << point % WORD)
    return result


@cache
def euler_table() -> np.ndarray:
    """Return by how much a piece in the middle of each pattern raises the Euler number.

    The Euler number of a colour is its units less the holes in them, which can be counted
    locally: pieces, less pairs of neighbours, plus full squares of 2 x 2 (Gray, "Local properties
    of binary images in two dimensions", IEEE Transactions on Computers 20, 1971). Shape (512,),
    int8. It is 1 less the runs of pieces around the middle that hang together there, so negative
    where there are two or more; only a middle with pieces all around counts as without a run.
    """
    table = np.zeros(512, np.int8)
    for pattern in range(512):
        has = [pattern >> place & 1 for place in range(9)]
        pairs = has[1] + has[3] + has[5] + has[7]
        squares = sum(
            has[CENTRE + up] & has[CENTRE + side] & has[CENTRE + up + side]
            for up in (-3, 3)
            for side in (-1, 1)
        )
        table[pattern] = 1 - pairs + squares
    return table


BLOCK, LANES = 8, 64
"""Words and bytes that loops take at a time, so that they become one vector instruction each.

Of a loop over a constant number of bytes LLVM makes a vector only if it is too long to unroll.
"""


@inlined
def steps(before, now, after, size, left_edge, right_edge):  # type: ignore[no-untyped-def]
    """Return the points a step to the right, left, up and down of those in the word `now`.

    `before` and `after` are the words beside it; `left_edge` and `right_edge` the points of this
    word in the first and last column.
    """
    back = U(WORD) - size
    return (
        ((now << U(1)) | (before >> U(63))) & ~left_edge,
        ((now >> U(1)) | (after << U(63))) & ~right_edge,
        (now << size) | (before >> back),
        (now >> size) | (after << back),
    )
