"""The line that a search expects: the most visited actions, one after the other."""

from __future__ import annotations

from oddly.engines.kernels.interface import (
    copy_state,
    play_action,
    position_hash,
    side_to_move,
)
from oddly.engines.kernels.jit import compiled
from oddly.engines.search.settings import LOST_WINS, WON_WINS
from oddly.engines.search.tree import (
    COUNT,
    HEADER,
    ROOM,
    ROW,
    TRIED,
    block_of,
    edges_of,
    find,
)

MAX_LINE = 10
"""The most actions in a line."""


@compiled
def follow(tree, root, state, line, known):  # type: ignore[no-untyped-def]
    """Play the `known` actions of `line`, and put what is likely to follow them into the rest.

    `line`: int64, shape (actions,); `state` is room for work. Return how many actions there are,
    and how many turns end in them.
    """
    copy_state(state, root)
    turns = 0
    for length in range(len(line)):
        if length >= known:
            node = find(tree, position_hash(state))
            action = _most_visited(tree, node) if node != 0 else -1
            if action < 0:
                return length, turns
            line[length] = action
        side = side_to_move(state)
        play_action(state, line[length])
        turns += side_to_move(state) != side
    return len(line), turns


@compiled
def _most_visited(tree, node):  # type: ignore[no-untyped-def]
    """Return the most visited action of a node, or -1 if none was tried.

    One proven to win comes first, those proven to lose come last, and the earlier of equals first.
    """
    words, block = tree.words, block_of(tree, node)
    count, room = words[block + COUNT], words[block + ROOM]
    wins, visits, ahead, places = edges_of(block, count, room)
    best, first = (False, False, 0, 0.0, 0, 0), -1
    for edge in range(min(tree.nodes[node * ROW + TRIED], room)):
        won, tried = tree.doubles[wins + edge], words[visits + edge]
        is_won = won >= WON_WINS / 2
        if tried < 1 and not is_won:
            continue
        place = words[places + edge]
        key = (is_won, won > LOST_WINS / 2, tried, won, words[ahead + edge], -place)
        if first < 0 or key > best:
            best, first = key, words[block + HEADER + place]
    return first
