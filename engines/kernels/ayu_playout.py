"""Random games of Ayu, played to the end, or stopped early and judged by shapes.

The judge adds up the worth of being to move, of every step by which one side is nearer to having
joined its units, and of every window of 2 x 3 points.

A *window* is 2 x 3 points of the board, lying or upright, and may reach over the edge by one. It is
spelled in two rows of three letters, `b` and `w` for pieces, `.` for an empty point and `#` for one
off the board: `bw./..b`. Turned windows are worth the same; with the colours exchanged, the
opposite. `ayu_shapes.toml` holds what `python -m tools.learn_ayu_shapes` has learnt, in log-odds.

A move is drawn in two independent parts: a piece, and a place among as many as the unit with the
most targets has. The draw is rejected where the piece's unit has no target in that place or would
not stay joined, so every legal move is equally likely. A random game may draw several moves and
play the most promising one.

How promising a move is depends on the pieces around its two ends. The *surroundings* of a point are
its eight neighbours, straight and diagonal: which of them hold a piece of the side to move, and
which one of the opponent. A point off the board counts as both. A move's preference is the sum of
those of the surroundings of its origin and its destination, in log-odds, as for a softmax over all
legal moves. `ayu_policy.npz` holds what `python -m tools.learn_ayu_policy` has learnt, and
`ayu_policy.toml` says from what.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.ayu_moves import may_swap, move, swap
from oddly.engines.kernels.ayu_rules import (
    CELLS,
    COLOUR,
    IS_DRAW,
    IS_EXCHANGED,
    MOST,
    PIECES,
    ROOM,
    SIZE,
    SLOTS,
    UNITS,
    keeps_joined,
    legal_moves,
    pattern_around,
    steps,
    survey,
    target,
    words_of,
)
from oddly.engines.kernels.jit import compiled, inlined, unaliased
from oddly.engines.kernels.numbers import U, advance, below, chance

if TYPE_CHECKING:
    from collections.abc import Iterable


SURROUNDINGS = 1 << 16
"""The ways to set two bits for each of eight neighbours."""

UNIT = 256
"""The preference that stands for 1 in log-odds."""


@inlined
def surroundings(state, point):  # type: ignore[no-untyped-def]
    """Return the surroundings of a point: eight bits for the mover's pieces, eight for the others.

    The bits go row by row from the lower left, without the point itself.
    """
    size, colour = U(state.sizes[SIZE]), U(state.numbers[COLOUR])
    sides = U(1) | (U(1) << (size + U(1)))
    all_over = (U(1) << (size + U(2))) - U(1)
    row, column = state.row[point], state.column[point]
    lower = all_over if row == U(0) else sides
    upper = all_over if row == size - U(1) else sides
    own = _eight(state.rows, colour * (size + U(2)) + row, column, lower, sides, upper)
    other = _eight(state.rows, (U(1) - colour) * (size + U(2)) + row, column, lower, sides, upper)
    return own | (other << U(8))


@inlined
def _eight(rows, place, column, lower, sides, upper):  # type: ignore[no-untyped-def]
    """Return which neighbours of a point are in `rows` or off the board."""
    seven = U(7)
    below = ((rows[place] | lower) >> column) & seven
    beside = ((rows[place + U(1)] | sides) >> column) & seven
    above = ((rows[place + U(2)] | upper) >> column) & seven
    return below | ((beside & U(1)) << U(3)) | ((beside >> U(2)) << U(4)) | (above << U(5))


@inlined
def preference(state, origin, destination):  # type: ignore[no-untyped-def]
    """Return how promising a move of the side to move is, in 1/UNIT log-odds."""
    policy = state.policy
    return np.int64(policy[surroundings(state, origin)]) + np.int64(
        policy[U(SURROUNDINGS) + surroundings(state, destination)]
    )


@compiled
def surroundings_of(state, actions, count, seen):  # type: ignore[no-untyped-def]
    """Write the surroundings of both ends of each of `count` moves to `seen`, shape (room, 2)."""
    cells = len(state.row)
    for place in range(count):
        origin = actions[place] // cells
        seen[place, 0] = surroundings(state, U(origin))
        seen[place, 1] = surroundings(state, U(actions[place] - origin * cells))


@cache
def policy_table() -> np.ndarray:
    """Return the preferences that guide random games: of origins, then of destinations.

    int16 in 1/UNIT log-odds, shape (2 * SURROUNDINGS,).
    """
    file = files(__package__).joinpath("ayu_policy.npz")
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return np.ascontiguousarray(arrays["preferences"], np.int16).ravel()


ZERO = np.float32(0)


@compiled
def lead(state):  # type: ignore[no-untyped-def]
    """Return the log-odds that the colour Black wins, from the board and the side to move."""
    judge = state.judge
    nearer = np.float32(steps_to_join(state, 1) - steps_to_join(state, 0))
    to_move = judge[TURN] if state.numbers[COLOUR] == 0 else -judge[TURN]
    return to_move + judge[STEPS] * nearer + shapes(state)


@compiled
def shapes(state):  # type: ignore[no-untyped-def]
    """Return the sum of the worths of all windows, for Black.

    Row after row enters from above. `columns` keeps the last three points of each column, with two
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
    """Return the length of a minimum spanning tree of a colour's units.

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
                # All units at distance 1 may join at once.
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


LETTERS = ".bw#"
"""The letter of a point by its number: 1 for Black, 2 for White, both for one off the board."""

WINDOWS = 4**6
TURN, STEPS, LYING, UPRIGHT = 0, 1, 2, 2 + WINDOWS
"""Places in `judge_table`: the worth of being to move, of each step that the opponent is farther
from having joined all units, and where those of lying and upright windows begin."""

EXCHANGED = str.maketrans("bw", "wb")


@cache
def judge_table(size: int) -> np.ndarray:
    """Return the judge's worths for a board of that size, or those learnt on the nearest size.

    Log-odds for Black; float32, shape (2 + 2 * 4096,). The number of a window has two bits for each
    point, column by column, the lower point first.
    """
    learnt = tomllib.loads(files(__package__).joinpath("ayu_shapes.toml").read_text("ascii"))
    board = min(learnt["board"], key=lambda board: abs(board["size"] - size))
    table = np.zeros(2 + 2 * WINDOWS, np.float32)
    table[TURN], table[STEPS] = board["turn"], board["step"]
    for shape, worth in board["shapes"].items():
        window = shape.replace("/", "")
        for sign, coloured in ((1, window), (-1, window.translate(EXCHANGED))):
            for image in images(coloured):
                table[LYING + number_lying(image)] = sign * worth
                table[UPRIGHT + number_of(image)] = sign * worth
    return table


def images(window: str) -> set[str]:
    """Return all turned and reflected images of a window of six letters."""
    lower, upper = window[:3], window[3:]
    return {
        lower + upper,
        upper + lower,
        lower[::-1] + upper[::-1],
        upper[::-1] + lower[::-1],
    }


def number_lying(window: str) -> int:
    """Return the number of a window whose two rows of three lie on top of each other."""
    return number_of(a + b for a, b in zip(window[:3], window[3:], strict=True))


def number_of(points: Iterable[str]) -> int:
    """Return the number with two bits for each of these points, the last one lowest."""
    number = 0
    for letter in "".join(points):
        number = number << 2 | LETTERS.index(letter)
    return number


LOW = U(0xFFFFFFFF)


@inlined
def draw(state, number):  # type: ignore[no-untyped-def]
    """Return the generator's next number, and the slot, origin and destination of a legal move."""
    pieces, unit_of, choices, special = state.pieces, state.unit, state.choices, state.special
    rows, row, column, euler = state.rows, state.row, state.column, state.euler
    colour, most = U(state.numbers[COLOUR]), U(state.numbers[MOST])
    count = U(state.numbers[U(PIECES) + colour])
    first_slot = colour * U(state.sizes[SLOTS])
    first_row = colour * (U(state.sizes[SIZE]) + U(2))
    while True:
        number = advance(number)
        slot = first_slot + (((number >> U(32)) * count) >> U(32))
        place = ((number & LOW) * most) >> U(32)
        unit = U(unit_of[slot])
        origin = U(pieces[slot])
        pattern = pattern_around(rows, first_row, row[origin], column[origin])
        # One test, not two: the processor has to guess once.
        if (place >= choices[unit]) | ((euler[pattern] < 0) & (special[unit] == U(0))):
            continue
        destination = target(state, unit, place)
        if keeps_joined(state, unit, pattern, origin, destination):
            return number, slot, origin, destination


@unaliased
def play_random(state, random, marks, stamp, plies, best_of):  # type: ignore[no-untyped-def]
    """Play up to `plies` random actions, and survey the position at the end.

    A move is the most promising of `best_of` random ones, the first of equals.
    """
    numbers = state.numbers
    cells = U(state.sizes[CELLS])
    number = random[0]
    while plies > 0 and numbers[MOST] > 0 and numbers[IS_DRAW] == 0:
        plies -= 1
        if may_swap(state):
            number = advance(number)
            if below(number, legal_moves(state, None) + 1) == 0:
                swap(state)
                continue
        number, slot, origin, destination = draw(state, number)
        if best_of > 1:
            best = preference(state, origin, destination)
            for _ in range(best_of - 1):
                number, other, start, end = draw(state, number)
                promise = preference(state, start, end)
                if promise > best:
                    best, slot, origin, destination = promise, other, start, end
        if marks is not None:
            marks[origin * cells + destination] = stamp
        move(state, slot, destination)
        survey(state)
    random[0] = number


@compiled
def reward(state):  # type: ignore[no-untyped-def]
    """Return 1.0 if Black won, 0.0 if White did, 0.5 for a draw; the game must be over.

    After a swap played here, Black is the player who had that colour before it, so that rewards
    before and after it compare.
    """
    numbers = state.numbers
    if numbers[IS_DRAW] == 1:
        return 0.5
    return 1.0 if numbers[COLOUR] == numbers[IS_EXCHANGED] else 0.0


@compiled
def playout(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Play uniformly random actions to the end, where `state` stays, and return Black's reward."""
    play_random(state, random, marks, stamp, np.int64(1 << 60), 1)
    return reward(state)


@compiled
def rollout(state, random, marks, stamp, plies, worth, best_of):  # type: ignore[no-untyped-def]
    """Play up to `plies` random actions (negative: all) and return Black's reward or an estimate.

    The judge estimates a game that is not over; `worth` scales its log-odds. Until then each move
    is the most promising of `best_of` random ones.
    """
    if plies < 0:
        return playout(state, random, marks, stamp)
    play_random(state, random, marks, stamp, plies, best_of)
    if state.numbers[MOST] == 0 or state.numbers[IS_DRAW] == 1:
        return reward(state)
    ahead = lead(state)
    return chance(-ahead if state.numbers[IS_EXCHANGED] == 1 else ahead, worth)
