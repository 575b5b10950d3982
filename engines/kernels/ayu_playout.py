"""Uniformly random games of Ayu, played to the end or stopped early and judged.

A move is drawn in two independent parts: one of the pieces, and one of as many places as the unit
with the most targets has. The draw is rejected where the piece's unit has no target in that place
or would not stay joined, so every legal move is equally likely.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.ayu_judge import lead
from oddly.engines.kernels.ayu_moves import may_swap, move, swap
from oddly.engines.kernels.ayu_rules import (
    CELLS,
    COLOUR,
    IS_DRAW,
    IS_EXCHANGED,
    MOST,
    PIECES,
    SIZE,
    SLOTS,
    keeps_joined,
    legal_moves,
    pattern_around,
    survey,
    target,
)
from oddly.engines.kernels.jit import compiled, unaliased
from oddly.engines.kernels.numbers import U, advance, below, chance

LOW = U(0xFFFFFFFF)


@unaliased
def play_random(state, random, marks, stamp, plies):  # type: ignore[no-untyped-def]
    """Play up to `plies` random actions, and survey the position at the end."""
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
    """Return 1.0 if Black won, 0.0 if White did, 0.5 for a draw; the game must be over.

    After a swap played here, Black is the player who had that colour before it: so the rewards of
    the players can be compared before and after.
    """
    numbers = state.numbers
    if numbers[IS_DRAW] == 1:
        return 0.5
    return 1.0 if numbers[COLOUR] == numbers[IS_EXCHANGED] else 0.0


@compiled
def playout(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Play uniformly random actions to the end, where `state` stays, and return Black's reward."""
    play_random(state, random, marks, stamp, np.int64(1 << 60))
    return reward(state)


@compiled
def rollout(state, random, marks, stamp, plies, worth):  # type: ignore[no-untyped-def]
    """Play up to `plies` random actions (negative: all) and return Black's reward or an estimate.

    The judge estimates a game that is not over; `worth` says what one of its log-odds counts for.
    """
    if plies < 0:
        return playout(state, random, marks, stamp)
    play_random(state, random, marks, stamp, plies)
    if state.numbers[MOST] == 0 or state.numbers[IS_DRAW] == 1:
        return reward(state)
    ahead = lead(state)
    return chance(-ahead if state.numbers[IS_EXCHANGED] == 1 else ahead, worth)
