"""What a leaf of the tree is worth: a random game from it, the mean of several, or a judge's share.

`simulation.py` comes here once in each simulation.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.interface import STATES, rollout
from oddly.engines.kernels.jit import by_state, compiled
from oddly.engines.kernels.judge import judged
from oddly.engines.kernels.numbers import chance
from oddly.engines.kernels.odd_kernel import OddState
from oddly.engines.kernels.odd_playout import play_several
from oddly.engines.search.settings import BEST_OF, EQUIVALENCE, FAITH, PLAYOUTS, PLIES, WORTH

WEIGHT_OF_ODDS = 0.5
"""A random game's lead counts for less than it is worth to good players; so do the judge's odds."""

SHARES = -1
"""In place of a mark: `bases` says in which share of the random games an action was made, `shares`
in which it was made and Black won. Until the next simulation these two have no other use."""


@compiled
def faith_after(visits, settings):  # type: ignore[no-untyped-def]
    """Return the judge's share on an empty board, after some simulations from the root.

    It is sure of itself at once and wrong for ever, so it falls as all-moves-as-first does.
    """
    equivalence = np.float64(settings[EQUIVALENCE])
    if settings[FAITH] == 0 or equivalence == 0:
        return np.float64(settings[FAITH])
    return settings[FAITH] * np.sqrt(equivalence / (equivalence + visits))


@compiled
def _judge_and_play(state, scratch, stamp, settings, faith):  # type: ignore[no-untyped-def]
    """Return Black's reward of a leaf, a random game's with a share of the judge's, and without.

    The third value is the mark of the actions that were made.
    """
    share, verdict = 0.0, 0.0
    if faith > 0 and len(scratch.judge.worths) > 0:
        odds, empties = judged(state, scratch.judge.worths, scratch.judge.edges)
        share, verdict = faith * empties, chance(odds, WEIGHT_OF_ODDS)
    plies, worth = np.int64(settings[PLIES]), np.float64(settings[WORTH])
    best_of = np.int64(settings[BEST_OF])
    value = rollout(state, scratch.random, scratch.marks, stamp, plies, worth, best_of)
    return value + share * (verdict - value), value, stamp


@compiled
def _mean_of_several(state, scratch, stamp, settings, faith):  # type: ignore[no-untyped-def]
    """Do as `_judge_and_play` does, with several random games; the second reward is the last one's.

    Then the third value is SHARES.
    """
    playouts = np.int64(settings[PLAYOUTS])
    if playouts <= 1:
        return _judge_and_play(state, scratch, stamp, settings, faith)
    mean, last = play_several(state, scratch.random, playouts, scratch.bases, scratch.shares)
    return mean, last, SHARES


value_leaf = by_state(dict.fromkeys(STATES, _judge_and_play) | {OddState: _mean_of_several})
"""In Odd the way to a leaf takes ten times as long as a random game from it, so several pay."""
