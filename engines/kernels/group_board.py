"""The tables of the kernel of Yodd and Xodd, and the patterns around a point.

A board lies row by row in flat arrays, with a rim of points that never hold a stone, so that no
step off the board needs a test. A *point* is an index into such an array. Of the eight points
around one, numbered anticlockwise from the east, six are neighbours on the hexhex board (all but
north-east and south-west) and four on the square board (those with an even number).

The eight points around one are numbered as in `group_board.py`. A *pattern* has a mask of those
with a stone of one colour, times 256, and a mask of those with one of the other; a point off the
board counts as both.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from oddly.games import Board, Shape


HEXHEX_RING = (0, 2, 3, 4, 6, 7)
SQUARE_RING = (0, 1, 2, 3, 4, 5, 6, 7)
SQUARE_NEIGHBOURS = (0, 2, 4, 6)
MAX_RUNS = 4
LANES = 64
"""Areas are multiples of it: the stones that one vector instruction compares."""


class GroupTables(NamedTuple):
    """A board's tables. `points[i]` is the point of the board's index `i`."""

    area: int
    stride: int
    points: np.ndarray
    runs: np.ndarray
    keys: np.ndarray


@cache
def tables(board: Board) -> GroupTables:
    """Return the tables of `board`."""
    width = max(column for column, _ in board.coordinates)
    stride = width + 1
    area = -(-((width + 2) * stride + 2) // LANES) * LANES
    points = np.array([row * stride + column for column, row in board.coordinates], dtype=np.int16)
    keys = np.random.default_rng(len(board)).integers(
        1, 1 << 63, size=2 * area + 5, dtype=np.uint64, endpoint=True
    )
    return GroupTables(area, stride, points, run_table(board.shape == "square", stride), keys)


def run_table(is_square: bool, stride: int) -> np.ndarray:
    """Return, for each mask of stones around a point, a step to one stone of every run.

    A run is a set of neighbours of one colour that hang together around the point. Shape
    (256 * MAX_RUNS,), int16. Missing runs repeat the first; where there is none, the step is 0,
    to the empty point itself.
    """
    steps = (1, stride + 1, stride, stride - 1, -1, -stride - 1, -stride, 1 - stride)
    ring = SQUARE_RING if is_square else HEXHEX_RING
    neighbours = SQUARE_NEIGHBOURS if is_square else HEXHEX_RING
    table = np.zeros((256, MAX_RUNS), dtype=np.int16)
    for mask in range(256):
        found = [steps[run] for run in _runs(mask, ring, neighbours)]
        if found:
            table[mask] = (found + found[:1] * MAX_RUNS)[:MAX_RUNS]
    return table.ravel()


def _runs(mask: int, ring: tuple[int, ...], neighbours: tuple[int, ...]) -> list[int]:
    """One neighbour of each run."""
    found: list[int] = []
    seen: set[int] = set()
    for neighbour in neighbours:
        if mask >> neighbour & 1 and neighbour not in seen:
            found.append(neighbour)
            for way in (1, -1):
                place = ring.index(neighbour)
                while mask >> ring[place] & 1:
                    seen.add(ring[place])
                    place = (place + way) % len(ring)
                    if ring[place] == neighbour:
                        break
    return found


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
