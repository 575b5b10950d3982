"""The features of a drop of Odd, each of which has a weight in a prior (`learnt.py`).

Both colours are alike, so features tell stones of the drop's colour from stones of the other:

- the stones around the cell, with the edge, as in `group_features.py`;
- what the drop does to the number of groups that count, and the groups of the other colour that it
  touches, large enough to count or not yet, together with how full the board is, who is to move and
  whether the number is odd now;
- how large the drop's group is then, and how far the cell is from the edge.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.group_features import (
    edge_distances,
    pattern_classes,
    ring_of,
    surroundings,
)
from oddly.engines.kernels.group_rules import MASKS
from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.numbers import U, ones
from oddly.engines.kernels.odd_kernel import IS_SQUARE, LEAST

if TYPE_CHECKING:
    from oddly.games import Board, Shape

PHASES = 8
DISTANCES = 4
SIZES = 8
CONTACTS_A_SITUATION = 4 * 3 * 3
SITUATIONS = PHASES * 2 * 2

NOTHING = 0
PATTERNS = 1
CONTACTS = PATTERNS + MASKS * MASKS
MARGINS = CONTACTS + SITUATIONS * CONTACTS_A_SITUATION
FEATURES = MARGINS + PHASES * SIZES * DISTANCES
"""Where the numbers of each kind of feature begin, and how many there are; 0 says nothing."""

PLACE = 10
"""Numbers in `places_of` for each cell."""

EMPTY = 2
"""What `colour_at` returns for a cell without a stone."""

CORNERS = 1 << 1 | 1 << 5
"""The two of the eight points around a cell that the hexhex board does not link with it."""


@cache
def places_of(board: Board) -> np.ndarray:
    """Return for each cell what is off the board, its distance from the edge, and its neighbours.

    The first is a mask of the eight points around it; a neighbour is one more than its index, 0 if
    it is off the board. Shape (10 * cells,), uint16.
    """
    places = np.zeros((len(board), PLACE), np.uint16)
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    places[:, 1] = np.minimum(edge_distances(board), DISTANCES - 1)
    for index, (column, row) in enumerate(board.coordinates):
        for number, (right, up) in enumerate(surroundings()):
            neighbour = at.get((column + right, row + up))
            if neighbour is not None:
                places[index, 2 + number] = neighbour + 1
            elif number in ring_of(board.shape):
                places[index, 0] |= 1 << number
    return places.reshape(-1)


@cache
def classes_of(shape: Shape) -> tuple[np.ndarray, int]:
    """Return the class of each feature, and how many classes there are (`pattern_classes`)."""
    patterns, kinds = pattern_classes(shape)
    rest = np.arange(FEATURES - CONTACTS) + PATTERNS + kinds
    classes = np.concatenate([[NOTHING], patterns + PATTERNS, rest])
    return classes.astype(np.int32), int(classes.max()) + 1


@compiled
def situation_of(state, places):  # type: ignore[no-untyped-def]
    """Return the numbers of the situation and of how full the board is; label the groups.

    After that `labels` leads from each cell with a stone to its group's root, which has the number
    of its stones in `sizes`.
    """
    labels, sizes, points = state.labels, state.sizes, state.points
    cells = len(points)
    for index in range(cells):
        labels[index] = index
        sizes[index] = 1
    is_square = state.numbers[IS_SQUARE] == 1
    for index in range(cells):
        colour = colour_at(state, index)
        if colour == EMPTY:
            continue
        # West, south and, on the hexhex board, the neighbour south-east: the earlier half.
        for number in (4, 6, 7):
            if number == 7 and is_square:
                continue
            near = np.int64(places[PLACE * index + 2 + number]) - 1
            if near >= 0 and colour_at(state, near) == colour:
                one, two = root_of(labels, index), root_of(labels, near)
                if one != two:
                    labels[two] = one
                    sizes[one] += sizes[two]
    empties = np.int64(0)
    for word in range(len(state.empty)):
        empties += np.int64(ones(state.empty[word]))
    odd = 0
    for index in range(cells):
        if labels[index] == index and colour_at(state, index) != EMPTY:
            odd ^= 1 if sizes[index] >= state.numbers[LEAST] else 0
    stones = cells - empties
    phase = stones * PHASES // (cells + 1)
    return (phase * 2 + (stones & 1)) * 2 + odd, phase


@compiled
def colour_at(state, index):  # type: ignore[no-untyped-def]
    """Return the stone on a cell: 0 for black, 1 for white, 2 for none."""
    point = U(state.points[index])
    word, bit = point >> U(6), point & U(63)
    if (state.empty[word] >> bit) & U(1) != U(0):
        return EMPTY
    return np.int64((state.white[word] >> bit) & U(1))


@compiled
def is_linked(number, is_square):  # type: ignore[no-untyped-def]
    """Return whether that one of the eight points around a cell is a neighbour of it."""
    if is_square:
        return number & 1 == 0
    return (CORNERS >> number) & 1 == 0


@compiled
def root_of(labels, index):  # type: ignore[no-untyped-def]
    """Return the cell at the root of a cell's group."""
    while labels[index] != index:
        index = np.int64(labels[index])
    return index


@compiled
def features_of(state, places, situation, phase, action):  # type: ignore[no-untyped-def]
    """Return the numbers of the three features of a drop."""
    index, colour = action >> 1, action & 1
    first = PLACE * index
    is_square = state.numbers[IS_SQUARE] == 1
    least = np.int64(state.numbers[LEAST])
    same = other = np.int64(places[first])
    size, large = np.int64(1), np.int64(0)
    other_large = other_small = np.int64(0)
    for number in range(8):
        near = np.int64(places[first + 2 + number]) - 1
        if near < 0:
            continue
        stone = colour_at(state, near)
        if stone == EMPTY:
            continue
        if stone == colour:
            same |= 1 << number
        else:
            other |= 1 << number
        if not is_linked(number, is_square):
            continue
        root = root_of(state.labels, near)
        is_new = True
        for earlier in range(number):
            before = np.int64(places[first + 2 + earlier]) - 1
            if not is_linked(earlier, is_square) or before < 0:
                continue
            if colour_at(state, before) == stone:
                is_new &= root_of(state.labels, before) != root
        if not is_new:
            continue
        if stone == colour:
            size += np.int64(state.sizes[root])
            large += np.int64(state.sizes[root] >= least)
        elif state.sizes[root] >= least:
            other_large += 1
        else:
            other_small += 1
    if not is_square:
        same &= ~CORNERS
        other &= ~CORNERS
    change = min(max(np.int64(size >= least) - large + 2, 0), 3)
    contact = (change * 3 + min(other_large, 2)) * 3 + min(other_small, 2)
    contact += CONTACTS + situation * CONTACTS_A_SITUATION
    margin = phase * SIZES + min(size * 4 // least, SIZES - 1)
    margin = MARGINS + margin * DISTANCES + np.int64(places[first + 1])
    return np.int64(PATTERNS + same * MASKS + other), np.int64(contact), np.int64(margin)
