"""Random games action by action and the positions one action away, for every kernel."""

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
from oddly.engines.kernels.randomness import advance, below


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
