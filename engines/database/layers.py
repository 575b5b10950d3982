"""The layers of a small board: the numbers of their positions, and the values of these.

A layer is all positions with the same number of stones. The groups of every set of cells are
counted once, for all layers.

A position is two sets of cells, the occupied ones and the black ones among them, each a number
with a bit for each cell. In its layer of k stones the position has the number
`rank << k | colours`: `rank` is the place of the occupied set among all sets of k cells, and
`colours` has a bit for each occupied cell, from the lowest, that is 1 if the stone there is black.
Going through the subsets of the occupied set in increasing order counts `colours` up from 0.

The values of a layer follow from those of layers with more stones. In Odd, from the layer with one
stone more, at every threshold at once. A value has bit t - 1 set if Black wins with groups of t
stones or more counting. The number of stones says who is to move.

In Yodd and Xodd, from the two layers with more stones. A value is 1 if Black, to move with no pass
just made, wins. With the colours of all stones and the players exchanged a position is the same, so
the values for White to move are the same numbers. A position at the start of a turn has an odd
number of groups, so one side has fewer: it is ahead. The side behind loses at once by passing. The
side ahead passes to a position in which the other must win by drops, so its pass wins if those do
not (docs/explanation/theorems.md).
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.games import Board, Colour

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_CELLS = 20
"""A layer of a board of 20 cells has up to 635 million positions, each a byte or more in memory."""


def layer_size(cells: int, stones: int) -> int:
    """Return how many positions of a board of `cells` have that many stones."""
    return comb(cells, stones) << stones


def occupied_sets(cells: int, stones: int) -> np.ndarray:
    """Return all sets of `stones` cells in increasing order, as an array of int64."""
    found = np.empty(comb(cells, stones), dtype=np.int64)
    _fill_occupied_sets(found, cells, stones)
    return found


def new_ranks(cells: int) -> np.ndarray:
    """Return the rank of every set of cells among those of equal size; int32, one a set."""
    ranks = np.empty(1 << cells, dtype=np.int32)
    _fill_ranks(ranks, np.zeros(cells + 1, dtype=np.int32))
    return ranks


def neighbour_sets(board: Board) -> np.ndarray:
    """Return the set of neighbours of every cell, as an array of int64."""
    return np.array([sum(1 << near for near in row) for row in board.neighbours], dtype=np.int64)


def number_of(stones: Sequence[int], ranks: np.ndarray) -> tuple[int, int]:
    """Return the layer of the position with these stones, and its number there."""
    occupied = colours = number = 0
    for cell, stone in enumerate(stones):
        if stone:
            occupied |= 1 << cell
            colours |= (stone == Colour.BLACK) << number
            number += 1
    return number, int(ranks[occupied]) << number | colours


@compiled
def _fill_occupied_sets(found, cells, stones):  # type: ignore[no-untyped-def]
    occupied = (np.int64(1) << stones) - 1
    for rank in range(len(found)):
        found[rank] = occupied
        if occupied:
            # The next larger number with as many bits.
            low = occupied & -occupied
            high = occupied + low
            occupied = high | (((occupied ^ high) // low) >> 2)


@compiled
def _fill_ranks(ranks, so_far):  # type: ignore[no-untyped-def]
    for occupied in range(len(ranks)):
        stones = 0
        rest = occupied
        while rest:
            rest &= rest - 1
            stones += 1
        ranks[occupied] = so_far[stones]
        so_far[stones] += 1


def group_counts(board: Board) -> np.ndarray:
    """Return the number of groups of every set of cells; uint8, one a set."""
    counts = np.empty(1 << len(board), dtype=np.uint8)
    _count_groups(counts, neighbour_sets(board))
    return counts


def parities(board: Board) -> np.ndarray:
    """Return for every set of cells whether its large groups are odd in number; uint32, one a set.

    Bit t - 1 is 1 if an odd number of groups have t cells or more.
    """
    found = np.empty(1 << len(board), dtype=np.uint32)
    _find_parities(found, neighbour_sets(board))
    return found


@compiled
def group_at(cells, start, neighbours):  # type: ignore[no-untyped-def]
    """Return the cells joined within `cells` to those of `start`, which is part of it."""
    group = frontier = start
    while frontier:
        near = np.int64(0)
        cell = 0
        rest = frontier
        while rest:
            if rest & 1:
                near |= neighbours[cell]
            rest >>= 1
            cell += 1
        frontier = near & cells & ~group
        group |= frontier
    return group


@compiled
def _count_groups(counts, neighbours):  # type: ignore[no-untyped-def]
    for cells in range(len(counts)):
        rest = np.int64(cells)
        number = 0
        while rest:
            rest &= ~group_at(rest, rest & -rest, neighbours)
            number += 1
        counts[cells] = number


@compiled
def _find_parities(found, neighbours):  # type: ignore[no-untyped-def]
    for cells in range(len(found)):
        rest = np.int64(cells)
        parity = np.uint32(0)
        while rest:
            group = group_at(rest, rest & -rest, neighbours)
            rest &= ~group
            size = 0
            while group:
                group &= group - 1
                size += 1
            # A group of n cells counts at the thresholds 1 to n.
            parity ^= np.uint32((np.int64(1) << size) - 1)
        found[cells] = parity


@compiled
def solve_yodd_layer(first, last, stones, cells, occupied_sets, ranks, groups, one, two, values):  # type: ignore[no-untyped-def]
    """Write the values of the positions whose occupied sets have the ranks `first` to `last` - 1.

    `one` and `two` are the values of the layers with one and two stones more; `groups` the counts
    of `group_counts`. Positions with an even number of groups get 0.
    """
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            white = occupied ^ black
            number = np.int64(rank) << stones | colours
            values[number] = 0
            if stones == 0 or (groups[black] + groups[white]) & 1:
                values[number] = _wins_by_drops(
                    stones, cells, occupied, black, colours, ranks, groups, one, two
                )
            black = (black - occupied) & occupied
    _add_passes(first, last, stones, occupied_sets, groups, values)


@compiled
def _wins_by_drops(stones, cells, occupied, black, colours, ranks, groups, one, two):  # type: ignore[no-untyped-def]
    """Return 1 if one drop or two of Black's lead to a position that White, to move, loses."""
    white = occupied ^ black
    ones = (np.int64(1) << (stones + 1)) - 1
    twos = (np.int64(1) << (stones + 2)) - 1
    place = 0
    for cell in range(cells):
        bit = np.int64(1) << cell
        if occupied & bit:
            place += 1
            continue
        lower = (np.int64(1) << place) - 1
        spread = (colours & ~lower) << 1 | colours & lower
        number = np.int64(ranks[occupied | bit]) << (stones + 1)
        for colour in range(2):
            black_after, white_after = black | bit * colour, white | bit * (1 - colour)
            after = spread | np.int64(colour) << place
            if (groups[black_after] + groups[white_after]) & 1 and not one[number | (ones ^ after)]:
                return 1
            if stones == 0:
                # Black's first turn is one drop.
                continue
            next_place = place + 1
            for next_cell in range(cell + 1, cells):
                next_bit = np.int64(1) << next_cell
                if occupied & next_bit:
                    next_place += 1
                    continue
                next_lower = (np.int64(1) << next_place) - 1
                next_spread = (after & ~next_lower) << 1 | after & next_lower
                for next_colour in range(2):
                    black_end = black_after | next_bit * next_colour
                    white_end = white_after | next_bit * (1 - next_colour)
                    if (groups[black_end] + groups[white_end]) & 1:
                        end = np.int64(ranks[occupied | bit | next_bit]) << (stones + 2)
                        end |= twos ^ (next_spread | np.int64(next_colour) << next_place)
                        if not two[end]:
                            return 1
    return 0


@compiled
def _add_passes(first, last, stones, occupied_sets, groups, values):  # type: ignore[no-untyped-def]
    if stones == 0:
        return
    exchanged = (np.int64(1) << stones) - 1
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            fewer, more = groups[black], groups[occupied ^ black]
            if (fewer + more) & 1 and fewer < more:
                number = np.int64(rank) << stones
                # Black is behind in the exchanged position, whose value is that of drops alone.
                values[number | colours] |= 1 - values[number | (colours ^ exchanged)]
            black = (black - occupied) & occupied


@compiled
def solve_odd_layer(first, last, stones, cells, occupied_sets, ranks, parities, above, values):  # type: ignore[no-untyped-def]
    """Write the values of the positions whose occupied sets have the ranks `first` to `last` - 1.

    `above` holds the values of the layer with one stone more, `parities` those of `parities`.
    """
    black_moves = stones % 2 == 0
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            number = np.int64(rank) << stones | colours
            if stones == cells:
                values[number] = parities[black] ^ parities[occupied ^ black]
            else:
                values[number] = _best(black_moves, stones, cells, occupied, colours, ranks, above)
            black = (black - occupied) & occupied


@compiled
def _best(black_moves, stones, cells, occupied, colours, ranks, above):  # type: ignore[no-untyped-def]
    """Return the thresholds at which some drop wins for Black, or no drop loses for Black."""
    best = above.dtype.type(0) if black_moves else ~above.dtype.type(0)
    place = 0
    for cell in range(cells):
        bit = np.int64(1) << cell
        if occupied & bit:
            place += 1
            continue
        lower = (np.int64(1) << place) - 1
        spread = (colours & ~lower) << 1 | colours & lower
        number = np.int64(ranks[occupied | bit]) << (stones + 1) | spread
        for colour in range(2):
            after = above[number | np.int64(colour) << place]
            if black_moves:
                best |= after
            else:
                best &= after
    return best
