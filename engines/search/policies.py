"""What the network says of a position, asked once and kept at its node.

One look takes as long as some thirty random games, so only a node with NETWORK_VISITS has one.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.network import evaluate
from oddly.engines.kernels.numbers import exchange_if
from oddly.engines.search.settings import PUCT
from oddly.engines.search.tree import (
    COUNT,
    HEADER,
    LOCKED,
    NODE,
    ROOM,
    ROW,
    VISITS,
    block_of,
    policy_of,
    renew,
    show,
)

NETWORK_VISITS = 200


@compiled
def consult(tree, scratch, state, node, settings):  # type: ignore[no-untyped-def]
    """Ask the network about the position of a node that has enough visits, unless that was done."""
    has_network = settings[PUCT] > 0 and len(scratch.network.layers) > 0
    if not has_network or tree.nodes[node * ROW + VISITS] < NETWORK_VISITS:
        return
    block = block_of(tree, node)
    if policy_of(tree, block) < 0:
        actions, count = block + HEADER, np.int64(tree.words[block + COUNT])
        evaluate(state, scratch.network, tree.words, actions, count, scratch.values)
        _keep(tree, node, scratch.values)


@compiled
def _keep(tree, node, shares):  # type: ignore[no-untyped-def]
    """Keep what the network says of a node; nothing if there is no room, or a thread adds to it."""
    owner = np.int64(tree.words[block_of(tree, node) + NODE])
    if owner <= 0 or not exchange_if(tree.nodes, owner * ROW + LOCKED, 0, 1):
        return
    block = block_of(tree, owner)
    if policy_of(tree, block) < 0:
        target = renew(tree, owner, block, np.int64(tree.words[block + ROOM]), True)
        if target >= 0:
            policy = policy_of(tree, target)
            for place in range(np.int64(tree.words[target + COUNT])):
                tree.floats[policy + place] = shares[place]
            show(tree, owner, block, target)
    exchange_if(tree.nodes, owner * ROW + LOCKED, 1, 0)
