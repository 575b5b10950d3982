"""Which action a simulation tries: the one with the greatest value.

This is most of what a search does beside its random games, so every loop here is written for the
processor's vector instructions: unsigned indices, which need no check for counting from the end;
choices between two values instead of branches; and the greatest value in a pass of its own, since
a loop that also kept the greatest would run one action at a time (three times slower). First all
actions are valued as if none had been tried, which takes no square roots, then those that were.
"""

from __future__ import annotations

import numpy as np

from engines.kernels.jit import compiled, vectorized
from engines.search.settings import EQUIVALENCE, EXPLORATION
from engines.search.tree import COUNT, ROOM, ROW, TRIED, VISITS, block_of, edges_of, marks_of

U = np.uint64
ZERO, ONE, HALF, THREE = np.float32(0), np.float32(1), np.float32(0.5), np.float32(3)

FIRST_VISIT = np.float32(1e6)
"""The value that plain UCT gives an action that was never tried."""


@compiled
def select(tree, scratch, node, settings):  # type: ignore[no-untyped-def]
    """Return the place of the action of `node` with the greatest value; the first of several."""
    words, values = tree.words, scratch.values
    block = block_of(tree, node)
    count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
    tried = min(np.int64(tree.nodes[node * ROW + TRIED]), room)
    wins, visits, _, places = edges_of(block, count, room)
    columns = U(wins), U(visits), U(tried)
    equivalence = settings[EQUIVALENCE]
    logarithm = np.log(np.float32(tree.nodes[node * ROW + VISITS] + 1))
    exploration = settings[EXPLORATION] * np.float32(np.sqrt(logarithm))
    if equivalence > 0:
        _value_untried(values, tree.floats, U(marks_of(block, count)), U(count))
        _weigh(tree, scratch, columns, exploration, equivalence)
    else:
        for place in range(count):
            values[place] = FIRST_VISIT
        _weigh(tree, scratch, columns, exploration, ZERO)
    for edge in range(tried):
        place = words[places + edge]
        # Another thread may have counted this edge before it wrote the place.
        if 0 <= place < count:
            values[place] = scratch.bases[edge] + scratch.shares[edge] * values[place]
    return np.int64(_place_of_greatest(values, U(count)))


@vectorized
def _value_untried(values, floats, marks, count):  # type: ignore[no-untyped-def]
    """Write to `values` what all-moves-as-first knows of each action."""
    for place in range(count):
        visits, wins = floats[marks + place], floats[marks + count + place]
        values[place] = (wins + HALF) / (visits + ONE)


@vectorized
def _weigh(tree, scratch, columns, exploration, equivalence):  # type: ignore[no-untyped-def]
    """Write the parts of the value of each edge: what is fixed, and the share of its marks in it.

    With marks, an action that was not tried has no bonus for exploration, but each that was has as
    much less.
    """
    wins_at, visits_at, tried = columns
    words, doubles, bases, shares = tree.words, tree.doubles, scratch.bases, scratch.shares
    more, less = (ONE, exploration) if equivalence > 0 else (ZERO, ZERO)
    for edge in range(tried):
        visits = max(ONE, np.float32(words[visits_at + edge]))
        average = np.float32(doubles[wins_at + edge]) / visits
        share = np.sqrt(equivalence / (THREE * visits + equivalence))
        bonus = exploration / np.sqrt(visits + more) - less
        shares[edge] = share
        bases[edge] = (ONE - share) * average + bonus


@vectorized
def _place_of_greatest(values, count):  # type: ignore[no-untyped-def]
    greatest = values[0]
    for place in range(count):
        greatest = max(greatest, values[place])
    place = U(0)
    while place + U(1) < count and values[place] != greatest:
        place += U(1)
    return place
