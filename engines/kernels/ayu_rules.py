"""Ayu's rules on bitboards, and the tables of its board.

Where a unit may get closer (`survey`): a point is *beside* a unit if it is next to one of its
pieces. If an empty point is beside two units of a colour, each can join the other there, so all
such points are found by one pass over the units. For a unit beside none of these, a wave starts
from the empty points beside all others and grows over empty points until it is next to the unit;
the points where it arrives are those on shortest paths. Whatever piece of the unit goes to one of
these *targets*, the distance falls; and it falls nowhere else, since the point that the piece
leaves is farther than any of them.

Whether the unit stays joined (`keeps_joined`): a piece may go to a target iff the unit with the
target added hangs together without the piece. Around the piece the others form *runs*. With at most
one, it can go. With two, and no hole in the unit, removing it would tear the unit apart; holes are
counted by the Euler number (see below). A search is needed only where there is a hole, or where the
target may close one.

A piece keeps its *slot* for the whole game; units are numbered from 0 without gaps.

A set is W words of 64 bits; point i, an index of the board, is bit i % 64 of word i // 64. The
rows follow each other without a gap, so that a step up or down is a shift by the board's size,
and a step left or right is one by 1 that must not run over the edge.

Indices are unsigned on purpose, here and in the other files of Ayu: with signed ones Numba tests
each for being negative.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.engines.kernels.jit import compiled, inlined, unaliased
from oddly.engines.kernels.numbers import WORD, U, first_one, ones

if TYPE_CHECKING:
    from oddly.games import Board


COLOUR, TURNS, PIE, IS_EXCHANGED, IS_DRAW, MOST, PAST = range(7)
"""Places in `numbers`: the colour to move, turns made (2 for any more), whether the pie rule is in
force and the players exchanged colours, whether the position is a repetition, the most targets
that a unit of the colour to move has, and how many hashes `past` holds."""

UNITS, EULER, PIECES = 7, 9, 11
"""Places in `numbers` at which two numbers begin, one for each colour."""

SIZE, WORDS, ROOM, CELLS, SLOTS = range(5)
"""Places in `sizes`: points in a row, words of a set, most units of a colour, points, and
most pieces of a colour."""

SIDE_KEY, SWAP_KEY, EXCHANGE_KEY = range(3)
"""Places in `keys` after those of the points."""

MAX_PAST_LENGTH = 1024
"""Positions that are remembered; no cycle is nearly as long."""


@inlined
def words_of(state):  # type: ignore[no-untyped-def]
    """Return how many words a set of points takes, for some boards a constant to the compiler."""
    if len(state.unrolled) > 0:
        return U(len(state.unrolled))
    return U(state.sizes[WORDS])


@unaliased
def survey(state):  # type: ignore[no-untyped-def]
    """Find the targets of all units of the colour to move; return the most that a unit has."""
    numbers = state.numbers
    beside, beside_two, targets = state.beside, state.beside_two, state.targets
    choices, special, alone = state.choices, state.special, state.alone
    empty, around = state.empty, state.around
    colour = U(numbers[COLOUR])
    units = U(numbers[U(UNITS) + colour])
    words, room = words_of(state), U(state.sizes[ROOM])
    has_hole = U(numbers[U(UNITS) + colour] != numbers[U(EULER) + colour])
    # Beyond the last unit, to the end of its block, `beside` is always 0.
    rounded = (units + U(BLOCK - 1)) & ~U(BLOCK - 1)
    for unit in range(rounded):
        choices[unit], special[unit] = U(0), has_hole
    for word in range(words):
        first = (colour * words + word) * room
        once, twice = U(0), U(0)
        for unit in range(rounded):
            points = beside[first + unit]
            twice |= once & points
            once |= points
        around[word] = once & empty[word]
        twice &= empty[word]
        for unit in range(rounded):
            points = beside[first + unit] & twice
            targets[word * room + unit] = points
            choices[unit] += ones(points)
            special[unit] |= points & beside_two[first + unit]
    # Listed first, without a branch: no processor can guess which units these are.
    count = U(0)
    for unit in range(units):
        alone[count] = unit
        count += U(choices[unit] == U(0))
    for place in range(count):
        _send_wave(state, colour, U(alone[place]))
    most = U(0)
    for unit in range(rounded):
        most = max(most, choices[unit])
    numbers[MOST] = most
    return most


@unaliased
def _send_wave(state, colour, unit):  # type: ignore[no-untyped-def]
    """Find the targets of a unit that cannot join another at once."""
    beside, beside_two, targets = state.beside, state.beside_two, state.targets
    empty, around, wave = state.empty, state.around, state.wave
    left_edge, right_edge = state.left_edge, state.right_edge
    words, room, size = words_of(state), U(state.sizes[ROOM]), U(state.sizes[SIZE])
    first = colour * words * room + unit
    for word in range(words):
        wave[word] = around[word] & ~beside[first + word * room]
    found, growth = U(0), U(1)
    special = U(0)
    while found == U(0) and growth != U(0):
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
            reached = new & beside[first + word * room]
            targets[word * room + unit] = reached
            special |= reached & beside_two[first + word * room]
            found += ones(reached)
    state.choices[unit] = found
    state.special[unit] |= special


@inlined
def pattern_around(rows, first_row, row, column):  # type: ignore[no-untyped-def]
    """Return which of the 3 x 3 points around a point `rows` has, as nine bits."""
    place = first_row + row
    seven = U(7)
    return (
        ((rows[place] >> column) & seven)
        | (((rows[place + U(1)] >> column) & seven) << U(3))
        | (((rows[place + U(2)] >> column) & seven) << U(6))
    )


@inlined
def target(state, unit, place):  # type: ignore[no-untyped-def]
    """Return the target of `unit` below which there are `place` others."""
    targets, room = state.targets, U(state.sizes[ROOM])
    at, word = U(unit), U(0)
    points = targets[at]
    count = ones(points)
    while place >= count:
        place -= count
        at += room
        word += U(64)
        points = targets[at]
        count = ones(points)
    while place > U(0):
        points &= points - U(1)
        place -= U(1)
    return word + first_one(points)


@unaliased
def keeps_joined(state, unit, pattern, origin, destination):  # type: ignore[no-untyped-def]
    """Return whether the piece on `origin` may go to `destination`, a target of its unit.

    `pattern` is what lies around the origin.
    """
    row, column = state.row, state.column
    up = U(1) + row[destination] - row[origin]
    right = U(1) + column[destination] - column[origin]
    if up <= U(2) and right <= U(2):
        pattern |= U(1) << (U(3) * up + right)
    if state.euler[pattern] >= 0:
        return True
    numbers = state.numbers
    colour = U(numbers[COLOUR])
    words, room = words_of(state), U(state.sizes[ROOM])
    if numbers[U(UNITS) + colour] == numbers[U(EULER) + colour]:
        word, bit = destination >> U(6), destination & U(63)
        at = (colour * words + word) * room + unit
        if (state.beside_two[at] >> bit) & U(1) == U(0):
            return False
    return _hangs_together(state, unit, origin, destination)


@compiled
def _hangs_together(state, unit, origin, destination):  # type: ignore[no-untyped-def]
    """Return whether a unit hangs together with one piece moved, by a search from that piece."""
    stones, wave, rest = state.stones, state.wave, state.rest
    left_edge, right_edge = state.left_edge, state.right_edge
    words, room, size = words_of(state), U(state.sizes[ROOM]), U(state.sizes[SIZE])
    first = U(state.numbers[COLOUR]) * words * room + unit
    for word in range(words):
        rest[word] = stones[first + word * room]
        wave[word] = U(0)
    rest[origin >> U(6)] ^= U(1) << (origin & U(63))
    wave[destination >> U(6)] = U(1) << (destination & U(63))
    growth = U(1)
    while growth != U(0):
        before, growth = U(0), U(0)
        for word in range(words):
            now = wave[word]
            right, left, up, down = steps(
                before, now, wave[word + U(1)], size, left_edge[word], right_edge[word]
            )
            before = now
            new = (right | left | up | down) & rest[word]
            rest[word] ^= new
            wave[word] |= new
            growth |= new
    left_out = U(0)
    for word in range(words):
        left_out |= rest[word]
    return left_out == U(0)


@compiled
def legal_moves(state, actions):  # type: ignore[no-untyped-def]
    """Return how many legal moves there are, and write them to `actions` unless that is None."""
    numbers, sizes = state.numbers, state.sizes
    pieces, unit_of, choices = state.pieces, state.unit, state.choices
    row, column = state.row, state.column
    colour = numbers[COLOUR]
    cells = U(sizes[CELLS])
    first_slot = colour * sizes[SLOTS]
    first_row = U(colour) * (U(state.sizes[SIZE]) + U(2))
    count = 0
    for slot in range(first_slot, first_slot + numbers[PIECES + colour]):
        unit = U(unit_of[slot])
        origin = U(pieces[slot])
        pattern = pattern_around(state.rows, first_row, row[origin], column[origin])
        for place in range(choices[unit]):
            destination = target(state, unit, U(place))
            if keeps_joined(state, unit, pattern, origin, destination):
                if actions is not None:
                    actions[count] = origin * cells + destination
                count += 1
    return count


CACHE_LINE = 64
"""Bytes; a vector that lies in two lines takes longer to read and to write."""

CENTRE = 4
"""The bit of the middle point in a pattern: 3 x 3 points, row by row from the lower left."""


class AyuTables(NamedTuple):
    """A board's tables; `keys` are for the hash: two for each point, and three more."""

    words: int
    room: int
    slots: int
    left_edge: np.ndarray
    right_edge: np.ndarray
    row: np.ndarray
    column: np.ndarray
    keys: np.ndarray


@cache
def tables(board: Board) -> AyuTables:
    """Return the tables of `board`.

    `room` is for the most units that a colour can have, and `slots` for the most pieces.
    """
    cells = len(board)
    words = -(-cells // WORD)
    column, row = (
        np.array(axis, np.uint64) - U(1) for axis in zip(*board.coordinates, strict=True)
    )
    keys = np.random.default_rng(cells).integers(
        1, 1 << 63, size=2 * cells + 3, dtype=np.uint64, endpoint=True
    )
    return AyuTables(
        words,
        rounded_up((cells + 1) // 2, BLOCK),
        rounded_up(cells, LANES),
        as_words(np.nonzero(column == 0)[0], words),
        as_words(np.nonzero(column == board.size - 1)[0], words),
        row,
        column,
        keys,
    )


def rounded_up(number: int, multiple: int) -> int:
    """Return the lowest multiple that is not below `number`."""
    return -(-number // multiple) * multiple


def aligned_zeros(length: int, kind: type[np.unsignedinteger[Any]]) -> np.ndarray:
    """Return an array of zeros that begins at a line of the processor's cache."""
    in_line = CACHE_LINE // np.dtype(kind).itemsize
    memory = np.zeros(length + in_line, kind)
    first = -memory.ctypes.data // memory.itemsize % in_line
    return memory[first : first + length]


def as_words(points: np.ndarray, words: int) -> np.ndarray:
    """Return a set of points as bits."""
    result = np.zeros(words, np.uint64)
    for point in points.tolist():
        result[point // WORD] |= U(1 << point % WORD)
    return result


@cache
def euler_table() -> np.ndarray:
    """Return by how much a piece in the middle of each pattern raises the Euler number.

    The Euler number of a colour is its units less the holes in them, which can be counted locally:
    pieces, less pairs of neighbours, plus full squares of 2 x 2 (Gray, "Local properties of binary
    images in two dimensions", IEEE Transactions on Computers 20, 1971). Shape (512,), int8. It is 1
    less the runs of pieces around the middle, so negative where there are two or more; a middle
    with pieces all around counts as having no run.
    """
    table = np.zeros(512, np.int8)
    for pattern in range(512):
        has = [pattern >> place & 1 for place in range(9)]
        pairs = has[1] + has[3] + has[5] + has[7]
        squares = sum(
            has[CENTRE + up] & has[CENTRE + side] & has[CENTRE + up + side]
            for up in (-3, 3)
            for side in (-1, 1)
        )
        table[pattern] = 1 - pairs + squares
    return table


BLOCK, LANES = 8, 64
"""Words and bytes that loops take at a time, so that they become one vector instruction each.

LLVM vectorises a loop over a constant number of bytes only if it is too long to unroll.
"""


@inlined
def steps(before, now, after, size, left_edge, right_edge):  # type: ignore[no-untyped-def]
    """Return the points a step to the right, left, up and down of those in the word `now`.

    `before` and `after` are the words beside it; `left_edge` and `right_edge` the points of this
    word in the first and last column.
    """
    back = U(WORD) - size
    return (
        ((now << U(1)) | (before >> U(63))) & ~left_edge,
        ((now >> U(1)) | (after << U(63))) & ~right_edge,
        (now << size) | (before >> back),
        (now >> size) | (after << back),
    )
