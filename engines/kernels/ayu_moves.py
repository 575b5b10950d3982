"""Make a move of Ayu and update everything that `ayu_rules.py` relies on."""

from __future__ import annotations

from oddly.engines.kernels.ayu_rules import (
    CELLS,
    COLOUR,
    EULER,
    EXCHANGE_KEY,
    IS_DRAW,
    IS_EXCHANGED,
    LANES,
    MAX_PAST_LENGTH,
    PAST,
    PIE,
    PIECES,
    ROOM,
    SIDE_KEY,
    SIZE,
    SLOTS,
    SWAP_KEY,
    TURNS,
    UNITS,
    pattern_around,
    steps,
    words_of,
)
from oddly.engines.kernels.jit import inlined, unaliased
from oddly.engines.kernels.numbers import U, first_one

NEIGHBOURS = U(0b010101010)


@unaliased
def move(state, slot, destination):  # type: ignore[no-untyped-def]
    """Move the piece in `slot` and pass the turn; the position is not surveyed yet."""
    numbers, sizes, stones_hash = state.numbers, state.sizes, state.stones_hash
    colour = U(numbers[COLOUR])
    units = numbers[U(UNITS) + colour]
    slot = U(slot)
    origin = U(state.pieces[slot])
    unit, pattern = _lift_and_drop(state, colour, slot, origin, destination)
    unit = _join(state, colour, unit, destination, pattern)
    find_beside(state, colour, unit)
    keys = state.keys
    first_key = colour * U(sizes[CELLS])
    stones_hash[0] ^= keys[first_key + origin] ^ keys[first_key + destination]
    numbers[COLOUR] = U(1) - colour
    numbers[TURNS] = min(numbers[TURNS] + 1, 2)
    if numbers[U(UNITS) + colour] < units:
        # What was joined stays joined: no earlier position can come again.
        numbers[PAST] = 0
    remember(state)


@unaliased
def _lift_and_drop(state, colour, slot, origin, destination):  # type: ignore[no-untyped-def]
    """Move a piece on the board and in its unit; return the unit and what lies around its goal."""
    numbers, sizes, empty, stones, rows = (
        state.numbers, state.sizes, state.empty, state.stones, state.rows,
    )  # fmt: skip
    row, column = state.row, state.column
    first_row = colour * (U(state.sizes[SIZE]) + U(2))
    words, room = words_of(state), U(sizes[ROOM])
    unit = state.unit[slot]
    state.pieces[slot] = destination
    state.slot_at[destination] = slot - colour * U(sizes[SLOTS])
    first = colour * words * room + U(unit)

    around = pattern_around(rows, first_row, row[origin], column[origin])
    rows[first_row + row[origin] + U(1)] ^= U(2) << column[origin]
    change = -state.euler[around]
    around = pattern_around(rows, first_row, row[destination], column[destination])
    rows[first_row + row[destination] + U(1)] ^= U(2) << column[destination]
    numbers[U(EULER) + colour] += change + state.euler[around]

    bit = U(1) << (origin & U(63))
    empty[origin >> U(6)] ^= bit
    stones[first + (origin >> U(6)) * room] ^= bit
    bit = U(1) << (destination & U(63))
    empty[destination >> U(6)] ^= bit
    stones[first + (destination >> U(6)) * room] ^= bit
    return unit, around


@unaliased
def _join(state, colour, unit, point, pattern):  # type: ignore[no-untyped-def]
    """Join to `unit` all others that `point` is beside, and return the unit's new number.

    `pattern` is what lies around the point.
    """
    numbers, sizes, unit_of, slot_at = state.numbers, state.sizes, state.unit, state.slot_at
    stones, beside, beside_two = state.stones, state.beside, state.beside_two
    words, room, size = words_of(state), U(state.sizes[ROOM]), U(state.sizes[SIZE])
    first_slot = colour * U(sizes[SLOTS])
    first = colour * words * room
    unit = U(unit)
    neighbours = pattern & NEIGHBOURS
    while neighbours != U(0):
        place = first_one(neighbours)
        neighbours &= neighbours - U(1)
        row = U(place >= U(3)) + U(place >= U(6))
        column = place - U(3) * row
        neighbour = point + row * size + column - size - U(1)
        other = U(unit_of[first_slot + U(slot_at[neighbour])])
        if other == unit:
            continue
        # The last unit takes the number that becomes free.
        last = U(numbers[U(UNITS) + colour] - 1)
        numbers[U(UNITS) + colour] = last
        for word in range(words):
            place = first + word * room
            stones[place + unit] |= stones[place + other]
            stones[place + other] = stones[place + last]
            beside[place + other] = beside[place + last]
            beside_two[place + other] = beside_two[place + last]
            beside[place + last] = U(0)
        # Of the names' type, so that a vector holds as many as possible.
        of_type = unit_of.dtype.type
        free, kept, moved = of_type(other), of_type(unit), of_type(last)
        for block in range(first_slot, first_slot + U(numbers[U(PIECES) + colour]), U(LANES)):
            for slot in range(block, block + U(LANES)):
                name = unit_of[slot]
                name = kept if name == free else name
                unit_of[slot] = free if name == moved else name
        if unit == last:
            unit = other
    return unit


@unaliased
def find_beside(state, colour, unit):  # type: ignore[no-untyped-def]
    """Find the points beside a unit, and beside two or more of its pieces."""
    stones, beside, beside_two = state.stones, state.beside, state.beside_two
    left_edge, right_edge = state.left_edge, state.right_edge
    words, room, size = words_of(state), U(state.sizes[ROOM]), U(state.sizes[SIZE])
    first = U(colour) * words * room + U(unit)
    before, now = U(0), stones[first]
    for word in range(words):
        place = first + word * room
        after = stones[place + room]
        if word + U(1) == words:
            after = U(0)
        right, left, up, down = steps(before, now, after, size, left_edge[word], right_edge[word])
        before, now = now, after
        across, along = right | left, up | down
        beside[place] = across | along
        beside_two[place] = (right & left) | (up & down) | (across & along)


@inlined
def may_swap(state):  # type: ignore[no-untyped-def]
    """Return whether a swap is open: with the pie rule, on White's first turn."""
    numbers = state.numbers
    return numbers[TURNS] == 1 and numbers[PIE] == 1 and numbers[COLOUR] == 1


@inlined
def position_hash(state):  # type: ignore[no-untyped-def]
    """Return the Zobrist hash of the pieces, the side to move, and an open or a past swap."""
    numbers, keys = state.numbers, state.keys
    first = U(2) * U(state.sizes[CELLS])
    result = state.stones_hash[0]
    if numbers[COLOUR] == 1:
        result ^= keys[first + U(SIDE_KEY)]
    if may_swap(state):
        result ^= keys[first + U(SWAP_KEY)]
    if numbers[IS_EXCHANGED] == 1:
        result ^= keys[first + U(EXCHANGE_KEY)]
    return result


@unaliased
def remember(state):  # type: ignore[no-untyped-def]
    """Remember the position; if it has occurred before, the game is a draw."""
    numbers, past = state.numbers, state.past
    now = position_hash(state)
    count = U(numbers[PAST])
    for place in range(count):
        if past[place] == now:
            numbers[IS_DRAW] = 1
            return
    if count == U(MAX_PAST_LENGTH):
        count = U(0)
    past[count] = now
    numbers[PAST] = count + U(1)


@unaliased
def swap(state):  # type: ignore[no-untyped-def]
    """Exchange the players' colours; the colour to move stays the same."""
    state.numbers[IS_EXCHANGED] = 1
    state.numbers[TURNS] = 2
    remember(state)
