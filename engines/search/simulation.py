"""One simulation: down the tree, a random game from its leaf, and the result back up.

AMAF, "all moves as first": an action made anywhere later in a simulation counts a little as if it
had been made now. An action of Yodd, Xodd or Odd is a stone's colour and its cell, no matter
which player drops it, since either may drop either colour. Gelly and Silver, "Monte-Carlo tree
search and rapid action value estimation in computer Go", Artificial Intelligence 175 (2011), is
the source of the weight `sqrt(k / (3 n + k))` between the two averages.
"""

from __future__ import annotations

import numpy as np

from engines.kernels.interface import (
    copy_state,
    is_over,
    play_action,
    position_hash,
    promising_actions,
    reward,
    rollout,
    side_to_move,
)
from engines.kernels.jit import compiled
from engines.search.finding import LOST_WINS, WON_WINS
from engines.search.selection import select
from engines.search.settings import EQUIVALENCE, EXPANSION, PLIES, WORTH
from engines.search.tree import (
    BLACK_WINS,
    DEEPEST,
    STAMP,
    UNKNOWN,
    WHITE_WINS,
    add_node,
    clear,
    find,
)

U = np.uint64
ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)

MAX_MARKS = np.float32(1 << 16)
"""Up to here sums of rewards in float32 are exact to a hundredth."""

LAST_MARK = (1 << 31) - 1
"""Numbers of simulations begin again where int32 ends."""


@compiled
def simulate(tree, root, state, random, count, settings):  # type: ignore[no-untyped-def]
    """Add `count` simulations from `root`, fewer if it is proven, and return how many.

    `state` is scratch of the same type. `settings`: float32, shape (5,): exploration, equivalence
    (k of AMAF; 0 for none), visits before a node is expanded, plies of a rollout (negative: all),
    worth of a lead at its end (0: only the winner counts). Several threads share `root`, so it is
    only read: even listing its actions would write to its scratch arrays. There is nothing to
    search if the game is over.
    """
    copy_state(state, root)
    if is_over(state):
        return 0
    root_node = find(tree, position_hash(state))
    if root_node == 0:
        root_node = _expanded(tree, state, random)
    if root_node == 0:
        clear(tree)
        root_node = _expanded(tree, state, random)
    for done in range(count):
        if tree.proven[root_node] != UNKNOWN:
            return done
        copy_state(state, root)
        _simulate_once(tree, root_node, state, random, settings)
    return count


@compiled
def _simulate_once(tree, node, state, random, settings):  # type: ignore[no-untyped-def]
    tree.used[STAMP] += 1
    stamp = tree.used[STAMP] & LAST_MARK
    outcome = UNKNOWN
    depth = 0
    while True:
        tree.credit[node] += 1
        tree.seen[node] = tree.used[STAMP]
        tree.path[0, depth] = 2 * node + side_to_move(state)
        place = select(tree, node, settings)
        tree.path[1, depth] = place
        depth += 1
        edge = tree.first_edge[node] + place
        action = tree.actions[edge]
        play_action(state, action)
        tree.marks[action] = stamp
        if is_over(state):
            value = reward(state)
            if value != 0.5:
                outcome = BLACK_WINS if value == 1.0 else WHITE_WINS
            break
        node = find(tree, position_hash(state))
        if node == 0 and tree.edge_visits[edge] >= settings[EXPANSION]:
            node = _expanded(tree, state, random)
        if node == 0 or depth == DEEPEST:
            plies, worth = np.int64(settings[PLIES]), np.float64(settings[WORTH])
            value = rollout(state, random, tree.marks, stamp, plies, worth)
            break
        if tree.proven[node] != UNKNOWN:
            outcome = tree.proven[node]
            value = 1.0 if outcome == BLACK_WINS else 0.0
            break
    _back_up(tree, depth, value, outcome, stamp, settings[EQUIVALENCE] > 0)


@compiled
def _expanded(tree, state, random):  # type: ignore[no-untyped-def]
    """Return a new node for the position in `state`, which has none; 0 if there is no room.

    Its edges begin at a random action, so that ties are not always broken the same way.
    """
    count = promising_actions(state, tree.legal)
    node = add_node(tree, position_hash(state), count)
    if node != 0:
        first = tree.first_edge[node]
        shift = np.int64(random[0] >> np.uint64(40)) % count
        for place in range(count):
            source = place + shift
            if source >= count:
                source -= count
            tree.actions[first + place] = tree.legal[source]
    return node


@compiled
def _back_up(tree, depth, value, outcome, stamp, with_marks):  # type: ignore[no-untyped-def]
    """Credit the path with Black's `value`, each edge from the view of who chose it.

    `outcome` is what is proven of the position that the path leads to.
    """
    for level in range(depth - 1, -1, -1):
        node, side = np.int64(tree.path[0, level]) >> 1, tree.path[0, level] & 1
        # Edges may have moved since they were chosen.
        edge = tree.first_edge[node] + tree.path[1, level]
        won = value if side == 0 else 1.0 - value
        tree.visits[node] += 1
        tree.edge_visits[edge] += 1
        tree.wins[edge] += won
        tree.ahead[edge] += 2 if won > 0.5 else 1 if won == 0.5 else 0
        if outcome != UNKNOWN:
            outcome = _prove(tree, node, edge, outcome, side)
        if with_marks:
            _credit_marks(tree, node, np.float32(won), stamp)


@compiled
def _credit_marks(tree, node, won, stamp):  # type: ignore[no-untyped-def]
    """Count the simulation for every edge whose action it made; see selection.py on the form.

    Beyond a number that float32 counts well, all that was counted is halved.
    """
    first, count = U(tree.first_edge[node]), U(tree.edge_count[node])
    actions, marks = tree.actions, tree.marks
    mark_visits, mark_wins = tree.mark_visits, tree.mark_wins
    for edge in range(first, first + count):
        is_made = marks[U(actions[edge])] == stamp
        visits = mark_visits[edge]
        part = HALF if visits >= MAX_MARKS else ONE
        mark_visits[edge] = part * (visits + (ONE if is_made else ZERO))
        mark_wins[edge] = part * (mark_wins[edge] + (won if is_made else ZERO))


@compiled
def _prove(tree, node, edge, outcome, side):  # type: ignore[no-untyped-def]
    """Return what is proven of `node`, whose player `side` chose `edge`, which has `outcome`."""
    if tree.proven[node] != UNKNOWN:
        return tree.proven[node]
    if outcome == BLACK_WINS + side:
        tree.wins[edge] = WON_WINS
        tree.proven[node] = outcome
    elif tree.wins[edge] > LOST_WINS / 2:
        tree.wins[edge] = LOST_WINS
        tree.lost_edges[node] += 1
        if tree.lost_edges[node] == tree.edge_count[node]:
            tree.proven[node] = outcome
    return tree.proven[node]
