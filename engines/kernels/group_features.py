"""The features of a drop of Yodd or Xodd, each of which has a weight in a prior.

A drop has three *features*, none of which depends on the size of the board:

- the stones around its point, with the edge, and whether the stone is one's own. The eight points
  are those of `group_rules.py`; one off the board counts as both colours;
- how many groups of either colour it touches, together with the *situation*: which drop of the turn
  it is and whether the parity must change, how full the board is, and the lead;
- how far the point is from the edge, together with how full the board is.

A pass and an end of the turn have one feature, the situation.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.group_rules import (
    AREA,
    BLACK,
    CELLS,
    DROPS,
    EMPTIES,
    HEXHEX_RING,
    MASKS,
    SIDE,
    SQUARE_RING,
    tables,
    touched,
)
from oddly.engines.kernels.jit import compiled

if TYPE_CHECKING:
    from oddly.games import Board, Shape


U = np.uint64

PHASES = 8
LEADS = 7
MOMENTS = 3
DISTANCES = 8
TOUCHES = 16

SITUATIONS = MOMENTS * PHASES * LEADS
NOTHING = 0
PATTERNS = 1
CONTACTS = PATTERNS + 2 * MASKS * MASKS
MARGINS = CONTACTS + 2 * TOUCHES * SITUATIONS
RESTS = MARGINS + 2 * DISTANCES * PHASES
FEATURES = RESTS + 2 * SITUATIONS
"""Where the numbers of each kind of feature begin, and how many there are; 0 says nothing."""


@cache
def places_of(board: Board) -> np.ndarray:
    """Return each point's distance from the edge times 256, plus a mask of what is off the board.

    Shape (area,), uint16.
    """
    table = tables(board)
    off, stride = np.ones(table.area, bool), table.stride
    off[table.points] = False
    steps = [right + stride * up for right, up in surroundings()]
    places = np.zeros(table.area, np.uint16)
    for point, distance in zip(map(int, table.points), edge_distances(board), strict=True):
        mask = sum(1 << number for number in ring_of(board.shape) if off[point + steps[number]])
        places[point] = min(distance, DISTANCES - 1) << 8 | mask
    return places


@cache
def classes_of(shape: Shape) -> tuple[np.ndarray, int]:
    """Return the class of each feature, and how many classes there are (`pattern_classes`)."""
    patterns, kinds = pattern_classes(shape)
    rest = np.arange(FEATURES - CONTACTS) + PATTERNS + 2 * kinds
    classes = np.concatenate([[NOTHING], patterns + PATTERNS, patterns + PATTERNS + kinds, rest])
    return classes.astype(np.int32), int(classes.max()) + 1


@compiled
def situation_of(state, places):  # type: ignore[no-untyped-def]
    """Return the numbers of the situation and of how full the board is."""
    numbers, cells = state.numbers, state.sizes[CELLS]
    parity = (numbers[BLACK] + numbers[BLACK + 1]) & 1
    moment = 0 if numbers[DROPS] == 0 else 1 + parity
    phase = (cells - numbers[EMPTIES]) * PHASES // (cells + 1)
    side = numbers[SIDE]
    lead = numbers[BLACK + 1 - side] - numbers[BLACK + side] + LEADS // 2
    lead = min(max(lead, 0), LEADS - 1)
    return (moment * PHASES + phase) * LEADS + lead, phase


@compiled
def features_of(state, places, situation, phase, action):  # type: ignore[no-untyped-def]
    """Return the numbers of the three features of an action."""
    area, side = state.sizes[AREA], state.numbers[SIDE]
    rest = action - 2 * state.sizes[CELLS]
    if rest >= 0:
        return np.int64(RESTS + 2 * situation + rest), np.int64(NOTHING), np.int64(NOTHING)
    point = U(state.points[action >> 1])
    is_other = (action & 1) ^ side
    off = np.int64(places[point]) & (MASKS - 1)
    distance = np.int64(places[point]) >> 8
    own = np.int64(state.ring[U(side * area) + point]) | off
    other = np.int64(state.ring[U((1 - side) * area) + point]) | off
    pattern = PATTERNS + (is_other * MASKS + own) * MASKS + other
    touches = 4 * min(touched(state, point, side), 3) + min(touched(state, point, 1 - side), 3)
    contact = CONTACTS + (situation * 2 + is_other) * TOUCHES + touches
    margin = MARGINS + (phase * 2 + is_other) * DISTANCES + distance
    return np.int64(pattern), np.int64(contact), np.int64(margin)


def ring_of(shape: Shape) -> tuple[int, ...]:
    """Return the numbers of the points around one that matter, in their order around it."""
    return SQUARE_RING if shape == "square" else HEXHEX_RING


def surroundings() -> tuple[tuple[int, int], ...]:
    """Return how many columns and rows each of the eight points is away."""
    return ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


@cache
def pattern_classes(shape: Shape) -> tuple[np.ndarray, int]:
    """Return the class of each pattern, and how many classes there are.

    Patterns that are turned or reflected images of each other are in one class.
    """
    ring = np.array(ring_of(shape))
    masks = np.arange(MASKS)
    numbers = np.arange(MASKS * MASKS)
    one, other = numbers >> 8, numbers & (MASKS - 1)
    least = numbers
    for image in (ring, np.roll(ring[::-1], 1)):
        # A quarter of a turn moves every one of eight points by two.
        for turn in range(0, len(ring), 2 if shape == "square" else 1):
            moved = np.zeros(MASKS, np.int64)
            for number, source in zip(ring, np.roll(image, turn), strict=True):
                moved |= (masks >> source & 1) << number
            least = np.minimum(least, moved[one] << 8 | moved[other])
    _, patterns = np.unique(least, return_inverse=True)
    return patterns, int(patterns.max()) + 1


def edge_distances(board: Board) -> list[int]:
    """Return how many steps each cell of a board is from the nearest cell at its edge."""
    most = max(map(len, board.neighbours))
    distances = [0 if len(near) < most else -1 for near in board.neighbours]
    reached = [index for index, distance in enumerate(distances) if distance == 0]
    if not reached:
        return [0] * len(board)
    for index in reached:
        for near in board.neighbours[index]:
            if distances[near] < 0:
                distances[near] = distances[index] + 1
                reached.append(near)
    return distances
