"""Whether an odd number of groups counts on a full board of Odd, in one scan over the cells.

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
- All cells can be asked at once: a neighbour is a fixed number of bits away, the same for all.
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
def words_of(state):  # type: ignore[no-untyped-def]
    """Return how many words the board takes, for some boards a constant to the compiler."""
    if len(state.unrolled) > 0:
        return U(len(state.unrolled))
    return U(len(state.white))


@inlined
def fill_and_judge(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Return 1.0 if the number of groups that count is odd, else 0.0.

    First colour the empty cells by the generator's state `random`, and mark the actions that do so
    unless `marks` is None; if `random` is None, the board must be full. This is one function, since
    passing a state's arrays to its parts would take as long as the parts do.
    """
    white, empty, linked, bridges = state.white, state.empty, state.linked, state.bridges
    points, indices = state.points, state.indices
    steps, step_words, labels, sizes = state.steps, state.step_words, state.labels, state.sizes
    stride, is_square = U(state.numbers[STRIDE]), state.numbers[IS_SQUARE] == 1
    to_corner = stride + U(1) if is_square else stride - U(1)

    # How many points back each cell's label comes from, 0 where a new one begins; the bridges.
    # Below is one to the left and then `stride - 1` back.
    words = words_of(state)
    before = U(0)
    number = U(0) if random is None else random[0]
    for word in range(words):
        now = white[word]
        if random is not None:
            number = advance(number)
            now |= number & empty[word]
            if marks is not None:
                rest = empty[word]
                while rest:
                    bit = first_one(rest)
                    rest &= rest - U(1)
                    cell = U(indices[U(64) * word + bit])
                    marks[U(2) * cell + (now >> bit & U(1))] = stamp
            white[word] = now
            empty[word] = 0
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
    if random is not None:
        random[0] = number

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
    other = U(1) if is_square else to_corner
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
    odd = np.uint8(0)
    for place in range(U(64) * words):
        odd ^= np.uint8(sizes[place] >= least)
    return 1.0 if odd == 1 else 0.0


@compiled
def _shifted(before, now, distance):  # type: ignore[no-untyped-def]
    """Return the word of the points that lie `distance` before those of `now`."""
    return (now << distance) | (before >> (U(64) - distance))
