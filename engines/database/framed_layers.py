"""The values of all positions of Odd with equally many empty cells in the frame, up to symmetry.

A value has a bit for each threshold: 1 if the side to move wins. The number of stones says who that
is. A position is won if some drop leads to one that is lost for its mover, so its value is the
complement of the conjunction of the values after every drop. A row holds one value for each core.
Drops on the frame lead to rows of the layer before, seen in some way; those on the core lead to
smaller numbers in the same row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.jit import compiled, unaliased

if TYPE_CHECKING:
    from oddly.games import Board


EMPTY_DIGIT = 2
BITS_OF_A_BYTE = 8
MAX_CELLS = 32


def spread_sets(board: Board) -> np.ndarray:
    """Return the cells next to every set of eight cells in line, (4, 256), int64: see `near`."""
    spread = np.zeros((MAX_CELLS // BITS_OF_A_BYTE, 1 << BITS_OF_A_BYTE), dtype=np.int64)
    for cell, near in enumerate(board.near):
        byte, bit = divmod(cell, BITS_OF_A_BYTE)
        spread[byte, np.arange(1 << BITS_OF_A_BYTE) >> bit & 1 == 1] |= near
    return spread


@compiled
def find_rows(high, low, empty, row, way, counts):  # type: ignore[no-untyped-def]
    """Write the row and the way of every frame; a lowest one gets the number of ways as its way.

    `high` and `low` are the halves of `frame_halves`, `empty` the empty cells of every frame;
    `counts` gets the number of rows of each layer, by empty cells.
    """
    ways, size = low.shape
    for first in range(high.shape[1]):
        for last in range(size):
            number = first * size + last
            lowest = number
            chosen = 0
            for each in range(1, ways):
                image = high[each, first] + low[each, last]
                if image < lowest:
                    lowest = image
                    chosen = each
            if lowest == number:
                # A mark: this is the lowest one.
                chosen = ways
                row[number] = counts[empty[number]]
                counts[empty[number]] += 1
            else:
                row[number] = row[lowest]
            way[number] = chosen


@compiled
def solve_rows(first, last, frames, cells, row, way, heads, tails, before, values):  # type: ignore[no-untyped-def]
    """Write the rows `first` to `last` - 1 of a layer whose lowest frames are `frames`.

    `row`, `way`, `heads` and `tails` are those of the board; `before` holds the rows of the layer
    with one empty cell fewer. Frames have `cells` cells.
    """
    tail_size = tails.shape[1]
    for number in range(first, last):
        out = values[number]
        for core in range(len(out)):
            out[core] = ~out.dtype.type(0)
        frame = np.int64(frames[number])
        rest = frame
        step = np.int64(1)
        for _ in range(cells):
            if rest % 3 == EMPTY_DIGIT:
                for colour in range(1, 3):
                    child = frame - colour * step
                    seen = np.int64(way[child])
                    _join(out, before[row[child]], heads[seen], tails[seen], seen == 0)
            rest //= 3
            step *= 3
        solve_core(out, 0, len(out), tail_size, False)


@unaliased
def _join(out, child, heads, tails, is_straight):  # type: ignore[no-untyped-def]
    """Put the values of a row, seen in some way, into a conjunction."""
    if is_straight:
        for core in range(len(out)):
            out[core] &= child[core]
        return
    tail_size = len(tails)
    for head in range(len(heads)):
        to = out[head * tail_size : (head + 1) * tail_size]
        start = heads[head] * tail_size
        of = child[start : start + tail_size]
        for tail in range(tail_size):
            to[tail] &= of[tails[tail]]


@compiled
def solve_full_rows(first, last, frames, frame_bits, core_bits, spread, shift, tail_size, values):  # type: ignore[no-untyped-def]
    """Write the rows `first` to `last` - 1 of the layer without an empty cell in the frame.

    `frame_bits` and `core_bits` are the sets of one cell, from the last cell to the first; the
    lowest bit of a value is for groups of `shift` + 1. `spread` is that of `spread_sets`.
    """
    cells = len(frame_bits) + len(core_bits)
    board = (np.int64(1) << cells) - 1
    # After an even number of stones Black is to move, and wins if the number of groups is odd.
    flip = np.int64(-1) if cells % 2 == 0 else np.int64(0)
    for number in range(first, last):
        out = values[number]
        black = np.int64(0)
        rest = np.int64(frames[number])
        for place in range(len(frame_bits)):
            if rest % 3 == 0:
                black |= frame_bits[place]
            rest //= 3
        for core in range(len(out)):
            out[core] = ~out.dtype.type(0)
            filled = black
            rest = np.int64(core)
            is_full = True
            for place in range(len(core_bits)):
                if rest % 3 == 0:
                    filled |= core_bits[place]
                is_full = is_full and rest % 3 != EMPTY_DIGIT
                rest //= 3
            if is_full:
                odd = odd_counts(filled, spread) ^ odd_counts(board ^ filled, spread)
                out[core] = out.dtype.type(((odd ^ flip) >> shift) & np.int64(out[core]))
        solve_core(out, 0, len(out), tail_size, False)


@compiled
def odd_counts(cells, spread):  # type: ignore[no-untyped-def]
    """Return a set's parities: bit t - 1 is set if an odd number of groups have t cells or more.

    `spread` is that of `spread_sets`.
    """
    odd = np.int64(0)
    while cells:
        group = frontier = cells & -cells
        while frontier:
            near = spread[0, frontier & 255] | spread[1, frontier >> 8 & 255]
            near |= spread[2, frontier >> 16 & 255] | spread[3, frontier >> 24 & 255]
            frontier = near & cells & ~group
            group |= frontier
        cells &= ~group
        size = 0
        while group:
            group &= group - 1
            size += 1
        odd ^= (np.int64(1) << size) - 1
    return odd


@compiled
def solve_core(out, first, last, tail_size, is_packed):  # type: ignore[no-untyped-def]
    """Turn conjunctions over other drops into values, from `first` to before `last`.

    Both are multiples of `tail_size`. A number of `out` has a bit for each threshold, or, if
    `is_packed`, one for each filling of three more cells (`finished`).
    """
    for start in range(first, last, tail_size):
        block = out[start : start + tail_size]
        rest = start // tail_size
        step = tail_size
        while rest:
            if rest % 3 == EMPTY_DIGIT:
                white = out[start - step : start - step + tail_size]
                black = out[start - 2 * step : start - 2 * step + tail_size]
                for tail in range(tail_size):
                    block[tail] &= white[tail] & black[tail]
            rest //= 3
            step *= 3
        _solve_tail(block, is_packed)


@compiled
def _solve_tail(block, is_packed):  # type: ignore[no-untyped-def]
    if len(block) < 3:
        block[0] = finished(block[0], is_packed)
        return
    for start in range(0, len(block), 3):
        black, white, empty = block[start], block[start + 1], block[start + 2]
        rest = start // 3
        step = 3
        while rest:
            if rest % 3 == EMPTY_DIGIT:
                one, two = start - step, start - 2 * step
                black &= block[one] & block[two]
                white &= block[one + 1] & block[two + 1]
                empty &= block[one + 2] & block[two + 2]
            rest //= 3
            step *= 3
        block[start] = finished(black, is_packed)
        block[start + 1] = finished(white, is_packed)
        block[start + 2] = finished(empty & block[start] & block[start + 1], is_packed)


PACKED_CELLS = 3
ALL_PACKED = (1 << 3**PACKED_CELLS) - 1
_LAST, _MIDDLE, _FIRST = (
    sum(1 << bit for bit in range(3**PACKED_CELLS) if bit // step % 3 == EMPTY_DIGIT)
    for step in (1, 3, 9)
)
"""The fillings in which each of the three cells is empty."""


@compiled
def finished(joined, is_packed):  # type: ignore[no-untyped-def]
    """Return the values that follow from a conjunction over the drops on all other cells."""
    joined = np.int64(joined)
    values = ~joined
    if is_packed:
        # Each step corrects the fillings with one more empty cell.
        for _ in range(PACKED_CELLS):
            last = values << 1 & values << 2 | ~_LAST
            middle = values << 3 & values << 6 | ~_MIDDLE
            first = values << 9 & values << 18 | ~_FIRST
            values = ~(joined & last & middle & first)
    return values
