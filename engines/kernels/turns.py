"""Whole turns made of a kernel's actions, for every kernel."""

from __future__ import annotations

from oddly.engines.kernels.interface import (
    copy_state,
    is_over,
    legal_actions,
    play_action,
    side_to_move,
)
from oddly.engines.kernels.jit import compiled

NO_SECOND = -1
"""In the place of a second action, where a turn has one only."""


@compiled
def legal_turns(state, scratch, firsts, seconds, turns):  # type: ignore[no-untyped-def]
    """Write the legal turns to `turns` as far as there is room, and return how many there are.

    `turns`: int32, shape (room, 2): the actions of each. A pair of drops is written once, the lower
    number first. `scratch` is a state of the same game, `firsts` and `seconds` are for lists of
    actions: int32, shape (action_count,). From inside a turn these are the ways to end it.
    """
    count = 0
    side = side_to_move(state)
    for place in range(legal_actions(state, firsts)):
        first = firsts[place]
        copy_state(scratch, state)
        play_action(scratch, first)
        if is_over(scratch) or side_to_move(scratch) != side:
            count = _listed(turns, count, first, NO_SECOND)
            continue
        for second in seconds[: legal_actions(scratch, seconds)]:
            # The end of a turn has the highest number of all.
            if second > first:
                count = _listed(turns, count, first, second)
    return count


@compiled
def _listed(turns, count, first, second):  # type: ignore[no-untyped-def]
    if count < len(turns):
        turns[count, 0], turns[count, 1] = first, second
    return count + 1
