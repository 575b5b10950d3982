"""Which action a simulation tries: the one with the greatest value.

This is most of what a search does beside its random games, so every loop here is written for the
processor's vector instructions: unsigned indices, which need no check for counting from the end;
choices between two values instead of branches; and the greatest value in a pass of its own, since
a loop that also kept the greatest would run one edge at a time (three times slower).
"""

from __future__ import annotations

import numpy as np

from engines.kernels.jit import compiled, vectorized
from engines.search.settings import EQUIVALENCE, EXPLORATION

U = np.uint64
ONE, HALF, THREE = np.float32(1), np.float32(0.5), np.float32(3)

FIRST_VISIT = np.float32(1e6)
"""What plain UCT adds to the value of an action that was never tried."""


@compiled
def select(tree, node, settings):  # type: ignore[no-untyped-def]
    """Return the place of the edge of `node` with the greatest value; the first of several."""
    first, count = U(tree.first_edge[node]), U(tree.edge_count[node])
    logarithm = np.log(np.float32(tree.visits[node] + 1))
    exploration = settings[EXPLORATION] * np.float32(np.sqrt(logarithm))
    if settings[EQUIVALENCE] > 0:
        _value_with_marks(tree, first, count, exploration, settings[EQUIVALENCE])
    else:
        _value_plainly(tree, first, count, exploration)
    return np.int64(_place_of_greatest(tree.values, count))


@vectorized
def _value_with_marks(tree, first, count, exploration, equivalence):  # type: ignore[no-untyped-def]
    """Write to `tree.values` the two averages of each edge, weighed, and its exploration."""
    all_visits, all_wins = tree.edge_visits, tree.wins
    all_mark_visits, all_mark_wins = tree.mark_visits, tree.mark_wins
    values = tree.values
    for place in range(count):
        edge = first + place
        visits = np.float32(all_visits[edge])
        average = np.float32(all_wins[edge]) / max(ONE, visits)
        marked = (all_mark_wins[edge] + HALF) / (all_mark_visits[edge] + ONE)
        weight = np.sqrt(equivalence / (THREE * visits + equivalence))
        bonus = exploration / np.sqrt(visits + ONE)
        values[place] = average + weight * (marked - average) + bonus


@vectorized
def _value_plainly(tree, first, count, exploration):  # type: ignore[no-untyped-def]
    """Write to `tree.values` the average of each edge and its exploration (UCB1)."""
    all_visits, all_wins, values = tree.edge_visits, tree.wins, tree.values
    for place in range(count):
        visits = np.float32(all_visits[first + place])
        wins = np.float32(all_wins[first + place])
        tried = max(ONE, visits)
        value = wins / tried + exploration / np.sqrt(tried)
        values[place] = FIRST_VISIT + wins if visits < ONE else value


@vectorized
def _place_of_greatest(values, count):  # type: ignore[no-untyped-def]
    greatest = values[0]
    for place in range(count):
        greatest = max(greatest, values[place])
    place = U(0)
    while values[place] != greatest:
        place += U(1)
    return place
