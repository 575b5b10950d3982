"""The kernel of Odd; `odd_playout.py` plays its random games and judges full boards.

The board lies row by row in words of 64 bits. A *point* is a place in them: bit `point % 64` of
word `point // 64`. The points of a row follow right on those of the row below. On the hexhex
board, whose rows are shifted against each other, some points between two rows are no cells.
Indices are unsigned on purpose: with signed ones Numba tests each for being negative.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.numbers import WORD, U, first_one, ones
from oddly.engines.kernels.odd_playout import playout, reward, rollout
from oddly.games import EMPTY, Board, Colour, DropPosition, Game

__all__ = [
    "OddState",
    "copy_state",
    "is_over",
    "legal_actions",
    "load",
    "new_state",
    "play_action",
    "play_through",
    "playout",
    "position_hash",
    "reward",
    "rollout",
    "safe_actions",
    "side_to_move",
    "survey",
]


class OddTables(NamedTuple):
    """A board's tables.

    `points[i]` is the point of the board's index `i`, `indices` the way back. Every three words of
    `linked` tell which points of a word have a cell below, to the left, and in the corner.
    """

    stride: int
    points: np.ndarray
    indices: np.ndarray
    linked: np.ndarray
    keys: np.ndarray


class OddState(NamedTuple):
    """A position of Odd.

    `white` and `empty` say in words of 64 bits on which points there is a white stone or none;
    `stones_hash` holds one number. From `points` to `numbers` it is all tables, the rest is scratch
    for counting groups. Arrays are few: a call passes seven numbers for each. So `steps` also
    counts, behind the steps, in how many playouts each point was white, and in how many of these
    Black won (`play_several`). `unrolled` has an empty tuple for each word if there are two, else
    none: its length is part of the type, so that the compiler knows it and unrolls loops over two
    words.
    """

    white: np.ndarray
    empty: np.ndarray
    stones_hash: np.ndarray
    points: np.ndarray
    indices: np.ndarray
    linked: np.ndarray
    keys: np.ndarray
    numbers: np.ndarray
    bridges: np.ndarray
    steps: np.ndarray
    step_words: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    unrolled: tuple[tuple[()], ...]


@cache
def tables(board: Board) -> OddTables:
    """Return the tables of `board`."""
    stride = max(column for column, _ in board.coordinates)
    places = [row * stride + column for column, row in board.coordinates]
    points = np.array(places, dtype=np.int16) - places[0]
    words = int(points[-1]) // WORD + 1
    indices = np.zeros(WORD * words, np.int16)
    indices[points] = np.arange(len(points))
    linked = np.zeros(3 * words, np.uint64)
    corner = -1 if board.shape == "square" else 1
    cells = set(board.coordinates)
    for point, (column, row) in zip(map(int, points), board.coordinates, strict=True):
        for plane, (right, up) in enumerate(((0, -1), (-1, 0), (corner, -1))):
            if (column + right, row + up) in cells:
                linked[3 * (point // WORD) + plane] |= U(1 << point % WORD)
    keys = np.random.default_rng(len(board)).integers(
        1, 1 << 63, size=2 * len(board), dtype=np.uint64, endpoint=True
    )
    return OddTables(stride, points, indices, linked, keys)


def new_state(game: Game) -> OddState:
    """Return the starting position."""
    board = game.board
    table = tables(board)
    area = len(table.indices)
    # Labels are points, below `area`; sizes go up to the number of cells.
    largest = max(area - 1, len(board) + 1)
    label_type = np.uint8 if largest <= np.iinfo(np.uint8).max else np.uint16
    steps = np.zeros(3 * area, np.uint8)
    is_square = int(board.shape == "square")
    least = min(int(game.settings["min_group"]), len(board) + 1)
    state = OddState(
        white=np.zeros(area // WORD, np.uint64),
        empty=np.zeros(area // WORD, np.uint64),
        stones_hash=np.zeros(1, np.uint64),
        points=table.points,
        indices=table.indices,
        linked=table.linked,
        keys=table.keys,
        numbers=np.array([table.stride, is_square, least], np.int64),
        bridges=np.zeros(area // WORD, np.uint64),
        steps=steps,
        step_words=steps.view(np.uint64),
        labels=np.zeros(area, label_type),
        sizes=np.zeros(area, label_type),
        unrolled=((),) * 2 if area == 2 * WORD else (),
    )
    _clear(state)
    return state


def _clear(state: OddState) -> None:
    state.white[:] = 0
    state.empty[:] = 0
    for point in map(int, state.points):
        state.empty[point // WORD] |= U(1 << point % WORD)
    state.stones_hash[0] = 0


def load(state: OddState, position: DropPosition) -> None:
    """Put `position` into `state`."""
    stones = np.frombuffer(bytes(position.start.stones), np.uint8)
    lying = np.full(len(state.indices), NO_CELL, np.uint8)
    lying[state.points] = stones
    state.white[:] = np.packbits(lying == WHITE, bitorder="little").view(np.uint64)
    state.empty[:] = np.packbits(lying == EMPTY, bitorder="little").view(np.uint64)
    cells = stones.nonzero()[0]
    drops = 2 * cells + (stones[cells] == WHITE)
    state.stones_hash[0] = np.bitwise_xor.reduce(state.keys[drops])


WHITE, NO_CELL = int(Colour.WHITE), 3


@compiled
def copy_state(target, source):  # type: ignore[no-untyped-def]
    """Make `target` equal to `source`, a state of the same game."""
    for word in range(len(target.white)):
        target.white[word] = source.white[word]
        target.empty[word] = source.empty[word]
    target.stones_hash[0] = source.stones_hash[0]


@compiled
def legal_actions(state, actions):  # type: ignore[no-untyped-def]
    """Write every legal action to `actions` once, and return how many there are."""
    count = 0
    for word in range(len(state.empty)):
        rest = state.empty[word]
        while rest:
            index = np.int64(state.indices[U(WORD * word) + first_one(rest)])
            rest &= rest - U(1)
            actions[count] = 2 * index
            actions[count + 1] = 2 * index + 1
            count += 2
    return count


safe_actions = legal_actions
"""Every legal action: none is known to lose at once."""


@compiled
def play_action(state, action):  # type: ignore[no-untyped-def]
    """Drop a stone: the action is twice the cell's index, and one more for white."""
    point = U(state.points[action >> 1])
    word, bit = point >> U(6), point & U(63)
    state.white[word] |= U(action & 1) << bit
    state.empty[word] ^= U(1) << bit
    state.stones_hash[0] ^= state.keys[action]


play_through = play_action


@compiled
def survey(state):  # type: ignore[no-untyped-def]
    """Do nothing: what is known of a position is always up to date."""


@compiled
def side_to_move(state):  # type: ignore[no-untyped-def]
    """Return 0 for Black, who makes the first drop, 1 for White."""
    stones = U(len(state.points))
    for word in range(len(state.empty)):
        stones ^= ones(state.empty[word])
    return np.int64(stones & U(1))


@compiled
def is_over(state):  # type: ignore[no-untyped-def]
    """Return whether the board is full."""
    left = U(0)
    for word in range(len(state.empty)):
        left |= state.empty[word]
    return left == 0


@compiled
def position_hash(state):  # type: ignore[no-untyped-def]
    """Return the Zobrist hash of the stones; their number says whose move it is."""
    return state.stones_hash[0]
