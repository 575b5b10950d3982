"""What a search takes for granted of the actions of a new node: a prior.

All-moves-as-first begins with as many simulations of each action as the setting `trust` says. They
were won the more often the higher the action's score (`prior.py`) is above the average: by `spread`
for each unit, after Gelly and Silver, "Combining online and offline knowledge in UCT" (ICML 2007).
So the prior says in which order actions are tried first, and fades where they are.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.prior import score
from oddly.engines.search.settings import SPREAD, TRUST
from oddly.engines.search.tree import COUNT, HEADER, block_of, marks_of

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)


@compiled
def foresee(tree, scratch, state, node, settings):  # type: ignore[no-untyped-def]
    """Begin the marks of a new `node`, whose position is `state`, by the prior."""
    scores, floats = scratch.values, tree.floats
    block = block_of(tree, node)
    count = np.int64(tree.words[block + COUNT])
    score(state, scratch.prior, tree.words, block + HEADER, count, scores)
    total = ZERO
    for place in range(count):
        total += scores[place]
    average = total / np.float32(count)
    trust, spread = settings[TRUST], settings[SPREAD]
    marks = marks_of(block, count)
    for place in range(count):
        wins = HALF + spread * (scores[place] - average)
        floats[marks + place] += trust
        floats[marks + count + place] += trust * min(max(wins, ZERO), ONE)
