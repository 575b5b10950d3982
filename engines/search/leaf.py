"""What a leaf is worth, and what the network says of a position; `simulation.py` asks both.

A leaf is worth a random game from it, the mean of several, or in part what a judge says. The
network is asked once, and its answer kept at the node. One look takes as long as some thirty random
games, so only a node with NETWORK_VISITS has one.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.interface import STATES, rollout
from oddly.engines.kernels.jit import by_state, compiled
from oddly.engines.kernels.judge import judged
from oddly.engines.kernels.network import evaluate
from oddly.engines.kernels.numbers import chance, exchange_if
from oddly.engines.kernels.odd_kernel import OddState, play_several
from oddly.engines.search.settings import (
    BEST_OF,
    EQUIVALENCE,
    JUDGE_SHARE,
    PLAYOUTS,
    PLIES,
    PUCT,
    WORTH,
)
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

WEIGHT_OF_ODDS = 0.5
"""A random game's lead counts for less than it is worth to good players; so do the judge's odds."""

SHARES = -1
"""In place of a mark: `bases` says in which share of the random games an action was made, `shares`
in which it was made and Black won. Until the next simulation these two have no other use."""


@compiled
def judge_share_after(visits, settings):  # type: ignore[no-untyped-def]
    """Return the judge's share on an empty board, after some simulations from the root.

    The judge is sure at once and wrong for ever, so its share falls as all-moves-as-first does.
    """
    equivalence = np.float64(settings[EQUIVALENCE])
    if settings[JUDGE_SHARE] == 0 or equivalence == 0:
        return np.float64(settings[JUDGE_SHARE])
    return settings[JUDGE_SHARE] * np.sqrt(equivalence / (equivalence + visits))


@compiled
def _judge_and_play(state, scratch, stamp, settings, judge_share):  # type: ignore[no-untyped-def]
    """Return Black's reward at a leaf: a random game's with a share of the judge's, and without.

    The third value is the mark of the actions that were made.
    """
    share, verdict = 0.0, 0.0
    if judge_share > 0 and len(scratch.judge.worths) > 0:
        odds, empties = judged(state, scratch.judge.worths, scratch.judge.edges)
        share, verdict = judge_share * empties, chance(odds, WEIGHT_OF_ODDS)
    plies, worth = np.int64(settings[PLIES]), np.float64(settings[WORTH])
    best_of = np.int64(settings[BEST_OF])
    value = rollout(state, scratch.random, scratch.marks, stamp, plies, worth, best_of)
    return value + share * (verdict - value), value, stamp


@compiled
def _mean_of_several(state, scratch, stamp, settings, judge_share):  # type: ignore[no-untyped-def]
    """Do as `_judge_and_play` does, with several random games; the second reward is the last one's.

    Then the third value is SHARES.
    """
    playouts = np.int64(settings[PLAYOUTS])
    if playouts <= 1:
        return _judge_and_play(state, scratch, stamp, settings, judge_share)
    mean, last = play_several(state, scratch.random, playouts, scratch.bases, scratch.shares)
    return mean, last, SHARES


value_leaf = by_state(dict.fromkeys(STATES, _judge_and_play) | {OddState: _mean_of_several})
"""In Odd the way to a leaf takes ten times as long as a random game from it, so several pay."""


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
