"""The kernel of Odd, and the count of groups on a full board in one scan.

The board lies row by row in words of 64 bits. A *point* is a place in them: bit `point % 64` of
word `point // 64`. The points of a row follow right on those of the row below. On the hexhex
board, whose rows are shifted against each other, some points between two rows are no cells.
Indices are unsigned on purpose: with signed ones Numba tests each for being negative.

Any empty cell may get either colour, so a uniformly random game amounts to tossing a coin for each
empty cell: a playout draws whole words of random bits and then counts the groups. This is
connected-component labelling as in image processing (Rosenfeld and Pfaltz, "Sequential operations
in digital picture processing", Journal of the ACM 13, 1966): row by row, a cell takes the label of
an earlier neighbour of its colour, and where it has two of different labels, these are noted as one
group. Two things make it cheap here. The earlier neighbours of a cell X are

    hexhex:   left X                square:                left   X
                below  corner                  (corner)    below

- Below and corner are neighbours on hexhex, and so are left and below, so that they are in one
  group already where they have the same colour. On the square board that holds for left and below
  if the corner, itself no neighbour of X, has their colour too. So X takes the label of the first
  it finds, below before left before corner, and only one cell in eight is a *bridge* between two
  groups: on hexhex those left and in the corner if the one below differs, on the square board
  those left and below if the corner differs.
- All cells can be tested at once: a neighbour is the same number of bits away for each.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.jit import compiled, inlined
from oddly.engines.kernels.numbers import WORD, U, advance, first_one, ones
from oddly.games import EMPTY, Board, Colour, DropPosition, Game

WHITE, NO_CELL = int(Colour.WHITE), 3

STRIDE, IS_SQUARE, LEAST = range(3)
"""Places in `numbers`: how many points further a row begins than the one below; the board's shape;
the size from which a group counts."""

SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.uint64)
"""For each byte a word whose eight bytes, 0 or 1, are the byte's bits."""


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
    cells = np.zeros(area, np.uint8)
    cells[table.points] = 1
    return OddState(
        white=np.zeros(area // WORD, np.uint64),
        empty=np.packbits(cells, bitorder="little").view(np.uint64),
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


@inlined
def playout(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Drop uniformly random stones to the end and return Black's reward.

    `state` then holds the full board, though its hash stays as it was.
    """
    _fill(state, random, marks, stamp)
    return _has_odd_number(state)


@compiled
def reward(state):  # type: ignore[no-untyped-def]
    """Return 1.0 if the number of groups that count is odd, else 0.0; the board must be full."""
    return _has_odd_number(state)


@compiled
def rollout(state, random, marks, stamp, plies, worth, best_of):  # type: ignore[no-untyped-def]
    """Play a playout and return Black's reward: parity has no margin and no early judgement."""
    return playout(state, random, marks, stamp)


@compiled
def play_several(state, random, playouts, made, won):  # type: ignore[no-untyped-def]
    """Play up to 255 playouts from one position; return Black's mean reward and that of the last.

    `made` gets for each action the share of these playouts that end with its stone on its cell, and
    `won` the share that Black also wins: float32, shape (actions,). Stones that lay there before
    count like others. `state` then holds the last full board.
    """
    white, empty, points = state.white, state.empty, state.points
    steps, step_words = state.steps, state.step_words
    words = words_of(state)
    length = U(8) * words
    for part in range(length, U(3) * length):
        step_words[part] = U(0)
    wins, reward_of_last = 0.0, 0.0
    number = random[0]
    for _ in range(playouts):
        for word in range(words):
            number = advance(number)
            white[word] = (white[word] & ~empty[word]) | (number & empty[word])
        reward_of_last = _has_odd_number(state)
        wins += reward_of_last
        is_won = U(reward_of_last)
        for word in range(words):
            now = white[word]
            for part in range(length + U(8) * word, length + U(8) * word + U(8)):
                stones = SPREAD[now & U(255)]
                step_words[part] += stones
                step_words[length + part] += stones * is_won
                now >>= U(8)
    random[0] = number
    for word in range(words):
        empty[word] = 0

    total, all_wins, share = np.float32(playouts), np.float32(wins), np.float32(1 / playouts)
    for index in range(U(len(points))):
        point = U(64) * words + U(points[index])
        whites, white_wins = np.float32(steps[point]), np.float32(steps[U(64) * words + point])
        made[U(2) * index] = (total - whites) * share
        made[U(2) * index + U(1)] = whites * share
        won[U(2) * index] = (all_wins - white_wins) * share
        won[U(2) * index + U(1)] = white_wins * share
    return wins / playouts, reward_of_last


@inlined
def words_of(state):  # type: ignore[no-untyped-def]
    """Return how many words the board takes, for some boards a constant to the compiler."""
    if len(state.unrolled) > 0:
        return U(len(state.unrolled))
    return U(len(state.white))


@inlined
def _fill(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Colour the empty cells by the generator's state `random`.

    The actions that do so are marked, unless `marks` is None.
    """
    white, empty, indices = state.white, state.empty, state.indices
    number = random[0]
    for word in range(words_of(state)):
        number = advance(number)
        now = white[word] | (number & empty[word])
        if marks is not None:
            rest = empty[word]
            while rest:
                bit = first_one(rest)
                rest &= rest - U(1)
                cell = U(indices[U(64) * word + bit])
                marks[U(2) * cell + (now >> bit & U(1))] = stamp
        white[word] = now
        empty[word] = 0
    random[0] = number


@inlined
def _has_odd_number(state):  # type: ignore[no-untyped-def]
    """Return 1.0 if the number of groups that count is odd, else 0.0; the board must be full.

    Its parts are inlined, since passing a state's arrays would take as long as the parts do.
    """
    white, linked, bridges, step_words = state.white, state.linked, state.bridges, state.step_words
    stride, is_square = U(state.numbers[STRIDE]), state.numbers[IS_SQUARE] == 1
    to_corner = stride + U(1) if is_square else stride - U(1)

    # How many points back each cell's label comes from, 0 where a new one begins; the bridges.
    # Below is one to the left and then `stride - 1` back.
    words = words_of(state)
    before = U(0)
    for word in range(words):
        now = white[word]
        below = linked[U(3) * word] & ~(now ^ _shifted(before, now, stride))
        left = linked[U(3) * word + U(1)] & ~(now ^ _shifted(before, now, U(1)))
        corner = linked[U(3) * word + U(2)] & ~(now ^ _shifted(before, now, to_corner))
        before = now
        bridges[word] = left & below & ~corner if is_square else left & corner & ~below
        by_one = below | left
        by_row = below if is_square else below | (corner & ~left)
        for part in range(U(8) * word, U(8) * word + U(8)):
            step_words[part] = SPREAD[by_one & U(255)] + SPREAD[by_row & U(255)] * (stride - U(1))
            by_one >>= U(8)
            by_row >>= U(8)
    return 1.0 if has_odd_number_of_labels(state, np.uint8(0)) == 1 else 0.0


@inlined
def has_odd_number_of_labels(state, odd):  # type: ignore[no-untyped-def]
    """Return `odd`, flipped once for each group that counts, by `steps` and `bridges`."""
    points, bridges = state.points, state.bridges
    steps, labels, sizes = state.steps, state.labels, state.sizes
    stride, is_square = U(state.numbers[STRIDE]), state.numbers[IS_SQUARE] == 1
    words = words_of(state)

    # Label the cells by the point where the label began, and count the cells of each label.
    for place in range(U(64) * words):
        labels[place] = place
        sizes[place] = 0
    for index in range(U(len(points))):
        point = U(points[index])
        label = labels[point - U(steps[point])]
        labels[point] = label
        sizes[U(label)] += 1

    # Join the groups that meet at bridges: count their cells at one label, the other's root.
    other = U(1) if is_square else stride - U(1)
    for word in range(words):
        rest = bridges[word]
        while rest:
            point = U(64) * word + first_one(rest)
            rest &= rest - U(1)
            one, two = U(labels[point]), U(labels[point - other])
            while labels[one] != one:
                one = U(labels[one])
            while labels[two] != two:
                two = U(labels[two])
            # They may be one already, but no processor could predict a test for that.
            size = sizes[two]
            sizes[two] = 0
            sizes[one] += size
            labels[two] = one

    least = sizes.dtype.type(state.numbers[LEAST])
    for place in range(U(64) * words):
        odd ^= np.uint8(sizes[place] >= least)
    return odd


@compiled
def _shifted(before, now, distance):  # type: ignore[no-untyped-def]
    """Return the word of the points that lie `distance` before those of `now`."""
    return (now << distance) | (before >> (U(64) - distance))
