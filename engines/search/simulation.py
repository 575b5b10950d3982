"""One simulation: down the tree, a random game from its leaf, and the result back up.

AMAF, "all moves as first": an action made anywhere later in a simulation counts a little as if it
had been made now. An action of Yodd, Xodd or Odd is a stone's colour and its cell, no matter
which player drops it, since either may drop either colour. Gelly and Silver, "Monte-Carlo tree
search and rapid action value estimation in computer Go", Artificial Intelligence 175 (2011), is
the source of the weight `sqrt(k / (3 n + k))` between the two averages.

A leaf is worth a random game from it, the mean of several, or in part what a judge says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.interface import (
    STATES,
    copy_state,
    is_over,
    play_through,
    position_hash,
    reward,
    rollout,
    safe_actions,
    side_to_move,
    survey,
)
from oddly.engines.kernels.jit import by_state, compiled, unaliased
from oddly.engines.kernels.learnt import NO_JUDGE, NO_PRIOR, Judge, Prior, judged
from oddly.engines.kernels.network import NO_NETWORK, Network
from oddly.engines.kernels.numbers import chance, generator
from oddly.engines.kernels.odd_kernel import OddState, play_several
from oddly.engines.search.copies import (
    FIRST_SLOT,
    STAMP,
    add_copies,
    begin_copies,
    has_copies,
    node_of,
)
from oddly.engines.search.selection import choose, consult, foresee
from oddly.engines.search.settings import (
    BEST_OF,
    EQUIVALENCE,
    EXPANSION,
    JUDGE_SHARE,
    LOST_WINS,
    PLAYOUTS,
    PLIES,
    TRUST,
    WON_WINS,
    WORTH,
)
from oddly.engines.search.tree import (
    BLACK_WINS,
    COUNT,
    HEADER,
    IS_FULL,
    NODE,
    PROVEN,
    ROOM,
    ROOT,
    ROW,
    TRIED,
    UNKNOWN,
    VISITS,
    WHITE_WINS,
    add_node,
    block_of,
    edges_of,
    marks_of,
)

U = np.uint64
ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)

DEEPEST = 4096
"""Actions in the tree part of one simulation."""

MAX_MARKS = np.float32(1 << 16)
"""Up to here sums of rewards in float32 are exact to a hundredth."""

LAST_MARK = (1 << 31) - 1
"""The numbers of simulations start over where int32 ends."""

NO_MARKS = -2
"""In place of a mark, where all-moves-as-first does not count."""

WEIGHT_OF_ODDS = 0.5
"""A random game's lead counts for less than it is worth to good players; so do the judge's odds."""

SHARES = -1
"""In place of a mark: `bases` says in which share of the random games an action was made, `shares`
in which it was made and Black won. Until the next simulation these two have no other use."""


class Scratch(NamedTuple):
    """What one thread needs for its simulations.

    `random` is the state of its generator; `copies` has what it knows of its copies, and the number
    of its last simulation (`copies.py`). `marks` has the number of the last simulation that made an
    action. `path` holds the nodes of the current simulation and the number of the edge in each,
    shape (2, DEEPEST). The others, like `marks` of shape (actions,), are for the node in hand, and
    `bases` and `shares` for the leaf; `bits` is a view of `values` as whole numbers. `prior` is
    what is known of actions in advance, `judge` what is known of positions, `network` what is known
    of actions in some positions.
    """

    random: np.ndarray
    copies: np.ndarray
    marks: np.ndarray
    path: np.ndarray
    legal: np.ndarray
    values: np.ndarray
    bits: np.ndarray
    shares: np.ndarray
    bases: np.ndarray
    prior: Prior
    judge: Judge
    network: Network


def new_scratch(
    action_count: int,
    seed: int,
    prior: Prior = NO_PRIOR,
    copies: np.ndarray | None = None,
    judge: Judge = NO_JUDGE,
    network: Network = NO_NETWORK,
) -> Scratch:
    """Return what a thread needs for games with that many actions."""
    values = np.zeros(action_count, np.float32)
    return Scratch(
        random=generator(seed),
        copies=np.zeros(FIRST_SLOT, np.int64) if copies is None else copies,
        marks=np.zeros(action_count, np.int32),
        path=np.zeros((2, DEEPEST), np.int32),
        legal=np.zeros(action_count, np.int32),
        values=values,
        bits=values.view(np.int32),
        shares=np.zeros(action_count, np.float32),
        bases=np.zeros(action_count, np.float32),
        prior=prior,
        judge=judge,
        network=network,
    )


@compiled
def simulate(tree, scratch, root, state, count, settings):  # type: ignore[no-untyped-def]
    """Add `count` simulations from `root` and return how many were added.

    They are fewer if the position is proven, if the game is over or if the tree must make room.
    `state` is room for work, of the same type as `root`. `settings` is `Settings.as_array`:
    float32, shape (11,). Several threads share `tree` and `root`, which is only read: even listing
    its actions would write to its arrays.
    """
    if is_over(root):
        return 0
    done = 0
    while done < count:
        wanted = begin_copies(tree, scratch.copies, position_hash(root), count - done)
        added = _simulate_some(tree, scratch, root, state, wanted, settings)
        add_copies(tree, scratch.copies)
        done += added
        if added < wanted:
            break
    return done


@compiled
def _simulate_some(tree, scratch, root, state, count, settings):  # type: ignore[no-untyped-def]
    """Add `count` simulations, or fewer as `simulate` says, and count them at copies."""
    for done in range(count):
        if tree.used[IS_FULL] != 0:
            return done
        copy_state(state, root)
        if not _simulate_once(tree, scratch, state, settings):
            return done
    return count


@compiled
def _simulate_once(tree, scratch, state, settings):  # type: ignore[no-untyped-def]
    """Add a simulation; return False if there is nothing left to find out, or no room."""
    scratch.copies[STAMP] += 1
    stamp = scratch.copies[STAMP] & LAST_MARK
    depth, visits, outcome, judge_share, made = 0, 0, UNKNOWN, 0.0, stamp
    is_copied = has_copies(scratch.copies)
    while True:
        key = position_hash(state)
        node, is_copied = node_of(tree, scratch.copies, key, is_copied)
        if node == 0:
            survey(state)
        if is_over(state):
            value = reward(state)
            ahead = value
            if value != 0.5:
                outcome = BLACK_WINS if value == 1.0 else WHITE_WINS
            break
        if node == 0 and (depth == 0 or visits >= settings[EXPANSION]):
            node = _new_node(tree, scratch, state, settings)
        if depth == 0:
            if node == 0 or tree.nodes[node * ROW + PROVEN] != UNKNOWN:
                return False
            _keep_root(tree, node)
            judge_share = _judge_share_after(tree.nodes[node * ROW + VISITS], settings)
        if node == 0 or depth == DEEPEST:
            survey(state)
            value, ahead, made = _value_leaf(state, scratch, stamp, settings, judge_share)
            break
        outcome = np.int64(tree.nodes[node * ROW + PROVEN])
        if outcome != UNKNOWN:
            value = ahead = 1.0 if outcome == BLACK_WINS else 0.0
            break
        consult(tree, scratch, state, node, settings)
        scratch.path[0, depth] = 2 * node + side_to_move(state)
        scratch.path[1, depth], action, visits = choose(tree, scratch, node, settings)
        depth += 1
        play_through(state, action)
        scratch.marks[action] = stamp
    made = made if settings[EQUIVALENCE] > 0 else NO_MARKS
    _back_up(tree, scratch, depth, (value, ahead), outcome, made)
    return True


@compiled
def _keep_root(tree, node):  # type: ignore[no-untyped-def]
    """Keep the node searched in the tree; write it once, since all threads read beside it."""
    node = np.int64(tree.words[block_of(tree, node) + NODE])
    if tree.used[ROOT] != node:
        tree.used[ROOT] = node


@compiled
def _new_node(tree, scratch, state, settings):  # type: ignore[no-untyped-def]
    """Return a new node for a position; 0 if there is no room."""
    count = safe_actions(state, scratch.legal)
    # A random start, so that ties are not all broken the same way.
    shift = np.int64(scratch.random[0] >> U(40)) % count
    node = add_node(tree, position_hash(state), scratch.legal, count, shift)
    if node != 0 and len(scratch.prior.weights) > 0 and settings[TRUST] > 0:
        foresee(tree, scratch, state, node, settings)
    return node


@compiled
def _judge_share_after(visits, settings):  # type: ignore[no-untyped-def]
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


_value_leaf = by_state(dict.fromkeys(STATES, _judge_and_play) | {OddState: _mean_of_several})
"""In Odd the way to a leaf takes ten times as long as a random game from it, so several pay."""


@compiled
def _back_up(tree, scratch, depth, values, outcome, made):  # type: ignore[no-untyped-def]
    """Credit the path with Black's `values`, each edge for the player who chose it.

    These are the reward, and the reward by which a simulation counts as won. `outcome` is what is
    proven of the position that the path leads to. `made` is the mark of the actions that were made,
    or `SHARES`, or `NO_MARKS`.
    """
    words = tree.words
    for level in range(depth - 1, -1, -1):
        node, side = np.int64(scratch.path[0, level]) >> 1, scratch.path[0, level] & 1
        edge = np.int64(scratch.path[1, level])
        won = values[0] if side == 0 else 1.0 - values[0]
        lead = values[1] if side == 0 else 1.0 - values[1]
        block = block_of(tree, node)
        count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
        if edge >= 0:
            wins, _, ahead, _ = edges_of(block, count, room)
            tree.doubles[wins + edge] += won
            words[ahead + edge] += 2 if lead > 0.5 else 1 if lead == 0.5 else 0
            if outcome != UNKNOWN:
                outcome = _prove(tree, node, block, edge, outcome, side)
        else:
            outcome = UNKNOWN
        marks, actions = U(marks_of(block, count)), U(block + HEADER)
        if made == SHARES:
            shares = scratch.bases, scratch.shares
            _credit_shares(words, tree.floats, shares, actions, marks, U(count), side == 0)
        elif made != NO_MARKS:
            _credit_marks(words, tree.floats, scratch.marks, actions, marks, U(count), won, made)


@unaliased
def _credit_marks(words, floats, made, actions, marks, count, won, stamp):  # type: ignore[no-untyped-def]
    """Count the simulation for every action that it made; see selection.py on the form.

    Counts too large for float32 are halved. What is written lies apart from what is read in
    `words`.
    """
    reward = np.float32(won)
    for place in range(count):
        is_made = made[U(words[actions + place])] == stamp
        visits = floats[marks + place]
        part = HALF if visits >= MAX_MARKS else ONE
        floats[marks + place] = part * (visits + (ONE if is_made else ZERO))
        wins = marks + count + place
        floats[wins] = part * (floats[wins] + (reward if is_made else ZERO))


@unaliased
def _credit_shares(words, floats, shares, actions, marks, count, is_black):  # type: ignore[no-untyped-def]
    """Do as `_credit_marks` does, for a simulation of several playouts, each of which is a part."""
    made, won = shares
    others, sign = (ZERO, ONE) if is_black else (ONE, -ONE)
    for place in range(count):
        action = U(words[actions + place])
        visits = floats[marks + place]
        part = HALF if visits >= MAX_MARKS else ONE
        floats[marks + place] = part * (visits + made[action])
        wins = marks + count + place
        floats[wins] = part * (floats[wins] + (others * made[action] + sign * won[action]))


@compiled
def _prove(tree, node, block, edge, outcome, side):  # type: ignore[no-untyped-def]
    """Return what is proven of `node`, whose player `side` chose `edge`, which has `outcome`."""
    row = node * ROW
    if tree.nodes[row + PROVEN] != UNKNOWN:
        return np.int64(tree.nodes[row + PROVEN])
    count, room = np.int64(tree.words[block + COUNT]), np.int64(tree.words[block + ROOM])
    wins = edges_of(block, count, room)[0]
    if outcome == BLACK_WINS + side:
        tree.doubles[wins + edge] = WON_WINS
    else:
        tree.doubles[wins + edge] = LOST_WINS
        if room < count or tree.nodes[row + TRIED] < count:
            return UNKNOWN
        # They are counted anew: another thread may just have written over one that was lost.
        for other in range(count):
            if tree.doubles[wins + other] > LOST_WINS / 2:
                return UNKNOWN
    tree.nodes[row + PROVEN] = outcome
    return outcome
