"""Whole turns and whole random games, made of any kernel's actions."""

from __future__ import annotations

from oddly.engines.kernels.interface import (
    copy_state,
    is_over,
    legal_actions,
    play_action,
    position_hash,
    side_to_move,
)
from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.numbers import advance, below

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


@compiled
def random_walk(state, random, actions, choices, sides):  # type: ignore[no-untyped-def]
    """Play uniformly random legal actions to the end, and return how many there were.

    Before each, `choices` (int32) gets the number of legal actions and `sides` (int8) the side to
    move; the walk stops where these are full. `actions` is for a list: int32, (action_count,).
    """
    length = 0
    number = random[0]
    while length < len(choices) and not is_over(state):
        count = legal_actions(state, actions)
        choices[length] = count
        sides[length] = side_to_move(state)
        number = advance(number)
        play_action(state, actions[below(number, count)])
        length += 1
    random[0] = number
    return length


@compiled
def next_hashes(state, scratch, actions, hashes, ended):  # type: ignore[no-untyped-def]
    """Hash the position after each legal action and note whether the game is over there.

    Return the number of legal actions. `actions` (int32), `hashes` (uint64) and `ended` (bool) have
    shape (action_count,); `scratch` is a state of the same game.
    """
    count = legal_actions(state, actions)
    for place in range(count):
        copy_state(scratch, state)
        play_action(scratch, actions[place])
        hashes[place] = position_hash(scratch)
        ended[place] = is_over(scratch)
    return count
