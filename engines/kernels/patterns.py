"""The stones around a point, as numbers that are the same for turned and reflected images.

The eight points around one are numbered as in `group_board.py`. A *pattern* has a mask of those
with a stone of one colour, times 256, and a mask of those with one of the other; a point off the
board counts as both.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.group_board import HEXHEX_RING, SQUARE_RING

if TYPE_CHECKING:
    from oddly.games.board import Board, Shape

MASKS = 1 << 8


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
