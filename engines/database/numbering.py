"""The numbers of the positions of a small board, and the groups of every set of its cells.

A position is two sets of cells, the occupied ones and the black ones among them, each a number
with a bit for each cell. In its layer of k stones the position has the number
`rank << k | colours`: `rank` is the place of the occupied set among all sets of k cells, and
`colours` has a bit for each occupied cell, from the lowest, that is 1 if the stone there is black.
Going through the subsets of the occupied set in increasing order counts `colours` up from 0.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.games import Board, Colour

if TYPE_CHECKING:
    from collections.abc import Sequence


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
