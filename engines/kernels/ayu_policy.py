"""Which moves a random game of Ayu prefers, by the pieces around a move's two ends.

The *surroundings* of a point are its eight neighbours, straight and diagonal: which of them hold a
piece of the side to move, and which one of the opponent. A point off the board counts as both. A
move is as promising as the surroundings of its origin and of its destination, added up, in log-odds
as a softmax over all legal moves has them. `ayu_policy.npz` holds what
`python -m tools.learn_ayu_policy` has learnt, and `ayu_policy.toml` says from what.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from oddly.engines.kernels.ayu_rules import COLOUR, SIZE
from oddly.engines.kernels.jit import compiled, inlined
from oddly.engines.kernels.numbers import U
from oddly.engines.kernels.shipped import shipped_arrays

SURROUNDINGS = 1 << 16
"""Ways in which two bits for each of eight neighbours can be set."""

UNIT = 256
"""The preference that stands for 1 in log-odds."""


@inlined
def surroundings(state, point):  # type: ignore[no-untyped-def]
    """Return the surroundings of a point: eight bits for one's own pieces, eight for the others.

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
    """Return what the moves of random games go by: of origins, then of destinations.

    int16 in 1/UNIT log-odds, shape (2 * SURROUNDINGS,).
    """
    return np.ascontiguousarray(shipped_arrays("ayu_policy.npz")["preferences"], np.int16).ravel()
