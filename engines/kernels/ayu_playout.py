"""Uniformly random games of Ayu, and an estimate of who will win one.

A move is drawn by its two parts, independently: one of the pieces, and one of so many places as
the unit with the most targets has. The draw is taken back where the piece's unit has no target in
that place, or would not stay joined; so every legal move is as likely as every other.
"""

from __future__ import annotations

import numpy as np

from engines.kernels.ayu_bits import U, steps
from engines.kernels.ayu_moves import may_swap, move, swap
from engines.kernels.ayu_rules import (
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
    survey,
    target,
    words_of,
)
from engines.kernels.jit import compiled, unaliased
from engines.kernels.lead import chance
from engines.kernels.randomness import advance, below

LOW = U(0xFFFFFFFF)


@unaliased
def play_random(state, random, marks, stamp, plies):  # type: ignore[no-untyped-def]
    """Play up to `plies` random actions. The position at the end is surveyed."""
    numbers, sizes = state.numbers, state.sizes
    pieces, unit_of, choices, special = state.pieces, state.unit, state.choices, state.special
    rows, row, column, euler = state.rows, state.row, state.column, state.euler
    cells = U(sizes[CELLS])
    number = random[0]
    while plies > 0 and numbers[MOST] > 0 and numbers[IS_DRAW] == 0:
        plies -= 1
        if may_swap(state):
            number = advance(number)
            if below(number, legal_moves(state, None) + 1) == 0:
                swap(state)
                continue
        colour = U(numbers[COLOUR])
        most = U(numbers[MOST])
        count = U(numbers[U(PIECES) + colour])
        first_slot = colour * U(sizes[SLOTS])
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
                break
        if marks is not None:
            marks[origin * cells + destination] = stamp
        move(state, slot, destination)
        survey(state)
    random[0] = number


@compiled
def reward(state):  # type: ignore[no-untyped-def]
    """1.0 if Black won, 0.0 if White did, 0.5 for a draw; the game must be over.

    After a swap played here, Black is the player who had that colour before it: so the rewards of
    the players can be compared before and after.
    """
    numbers = state.numbers
    if numbers[IS_DRAW] == 1:
        return 0.5
    return 1.0 if numbers[COLOUR] == numbers[IS_EXCHANGED] else 0.0


@compiled
def playout(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Black's reward after uniformly random actions to the end, where `state` is left."""
    play_random(state, random, marks, stamp, np.int64(1 << 60))
    return reward(state)


@compiled
def rollout(state, random, marks, stamp, plies, worth):  # type: ignore[no-untyped-def]
    """Black's reward after up to `plies` random actions (negative: all), or an estimate of it.

    Black leads by the steps that White's units lie farther from being joined.
    """
    if plies < 0:
        return playout(state, random, marks, stamp)
    play_random(state, random, marks, stamp, plies)
    if state.numbers[MOST] == 0 or state.numbers[IS_DRAW] == 1:
        return reward(state)
    lead = _steps_to_join(state, 1) - _steps_to_join(state, 0)
    if state.numbers[IS_EXCHANGED] == 1:
        lead = -lead
    return chance(lead, worth)


@compiled
def _steps_to_join(state, colour):  # type: ignore[no-untyped-def]
    """How far a colour's units are from being joined: the length of their minimum spanning tree.

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
