"""Random games of Odd, and the count of groups on a full board in one scan.

Any empty cell may get either colour, so a uniformly random game amounts to tossing a coin for each
empty cell: a playout draws whole words of random bits and then counts the groups in one scan.
`odd_kernel.py` says how the board lies in words.

This is connected-component labelling as in image processing (Rosenfeld and Pfaltz, "Sequential
operations in digital picture processing", Journal of the ACM 13, 1966): row by row, a cell takes
the label of an earlier neighbour of its colour, and where it has two of different labels, these
are noted as one group. Two things make it cheap here. The earlier neighbours of a cell X are

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

import numpy as np

from oddly.engines.kernels.jit import compiled, inlined
from oddly.engines.kernels.numbers import U, advance, first_one

STRIDE, IS_SQUARE, LEAST = range(3)
"""Places in `numbers`: how many points further a row begins than the one below; the board's shape;
the size from which a group counts."""

SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.uint64)
"""For each byte a word whose eight bytes, 0 or 1, are the byte's bits."""


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
