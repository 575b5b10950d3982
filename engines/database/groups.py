"""The groups of every set of cells of a small board, counted once and looked up afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.database.numbering import neighbour_sets
from oddly.engines.kernels.jit import compiled

if TYPE_CHECKING:
    from oddly.games.board import Board


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
