"""Who is ahead in Ayu, without playing on: the judge of a random game that is stopped early.

It adds up the worth of being to move, of every step by which one side is nearer to having joined
its units, and of every window of 2 x 3 points. `ayu_shapes.py` says where these worths come from.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.ayu_bits import steps
from oddly.engines.kernels.ayu_rules import COLOUR, ROOM, SIZE, UNITS, words_of
from oddly.engines.kernels.ayu_shapes import LYING, STEPS, TURN, UPRIGHT
from oddly.engines.kernels.bits import U
from oddly.engines.kernels.jit import compiled

ZERO = np.float32(0)


@compiled
def lead(state):  # type: ignore[no-untyped-def]
    """Return the log-odds of the colour Black to win, from the board and the side to move."""
    judge = state.judge
    nearer = np.float32(steps_to_join(state, 1) - steps_to_join(state, 0))
    to_move = judge[TURN] if state.numbers[COLOUR] == 0 else -judge[TURN]
    return to_move + judge[STEPS] * nearer + shapes(state)


@compiled
def shapes(state):  # type: ignore[no-untyped-def]
    """Return the sum of the worths of all windows, for Black.

    Row after row enters from above. Of each column, `columns` keeps the last three points with two
    bits each; the windows that end at a point are those of its column and the ones to the left.
    """
    rows, columns, judge = state.rows, state.columns, state.judge
    size = U(state.sizes[SIZE])
    width = size + U(2)
    outside = (U(1) << width) - U(1)
    sides = U(1) | (U(1) << (size + U(1)))
    total = ZERO
    for row in range(width):
        edge = outside if (row == U(0)) | (row == size + U(1)) else sides
        black, white = rows[row] | edge, rows[width + row] | edge
        left, lying = U(0), U(0)
        for column in range(width):
            point = ((black >> column) & U(1)) | (((white >> column) & U(1)) << U(1))
            three = ((columns[column] << U(2)) | point) & U(63)
            columns[column] = three
            lying = ((lying << U(4)) | (three & U(15))) & U(4095)
            if (row >= U(1)) & (column >= U(2)):
                total += judge[U(LYING) + lying]
            if (row >= U(2)) & (column >= U(1)):
                total += judge[U(UPRIGHT) + ((left << U(6)) | three)]
            left = three
    return total


@compiled
def steps_to_join(state, colour):  # type: ignore[no-untyped-def]
    """Return the length of the minimum spanning tree over the distances of a colour's units.

    Its edges are as long as the distances between the units; units that no path joins make trees
    of their own. Prim's algorithm ("Shortest connection networks and some generalizations", Bell
    System Technical Journal 36, 1957), with a wave that grows from the tree to the nearest units.
    """
    numbers, sizes, beside, empty = state.numbers, state.sizes, state.beside, state.empty
    wave, rest, left_out = state.wave, state.rest, state.special
    left_edge, right_edge = state.left_edge, state.right_edge
    words, room, size = words_of(state), U(sizes[ROOM]), U(sizes[SIZE])
    first = U(colour) * words * room
    outside = numbers[UNITS + colour]
    for unit in range(outside):
        left_out[unit] = U(unit)
    length = np.int64(0)
    while outside > 0:
        # A new tree. `rest` is what lies beside it, `left_out` the units outside.
        outside -= 1
        unit = U(left_out[outside])
        for word in range(words):
            rest[word] = beside[first + word * room + unit] & empty[word]
            wave[word] = rest[word]
        distance, growth = np.int64(1), U(1)
        while growth != U(0):
            joined = False
            place = 0
            while place < outside:
                unit = U(left_out[place])
                met = U(0)
                for word in range(words):
                    met |= beside[first + word * room + unit] & wave[word]
                if met == U(0):
                    place += 1
                    continue
                length += distance
                outside -= 1
                left_out[place] = left_out[outside]
                joined = True
                for word in range(words):
                    rest[word] |= beside[first + word * room + unit] & empty[word]
                if distance > 1:
                    break
                # All as near as can be may join at once.
                for word in range(words):
                    wave[word] |= rest[word]
            if joined:
                for word in range(words):
                    wave[word] = rest[word]
                distance = 1
                continue
            before, growth = U(0), U(0)
            for word in range(words):
                now = wave[word]
                right, left, up, down = steps(
                    before, now, wave[word + U(1)], size, left_edge[word], right_edge[word]
                )
                before = now
                new = (right | left | up | down) & empty[word] & ~now
                wave[word] = now | new
                growth |= new
            distance += 1
    return length
