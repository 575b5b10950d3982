"""One simulation: down the tree, a random game from its leaf, and the result back up.

AMAF, "all moves as first": an action made anywhere later in a simulation counts a little as if it
had been made now. The actions of Yodd, Xodd and Odd are a stone's colour and its cell, whoever
drops it, since either player may drop either colour. Gelly and Silver, "Monte-Carlo tree search
and rapid action value estimation in computer Go", Artificial Intelligence 175 (2011), is the
source of the weight `sqrt(k / (3 n + k))` between the two averages.
"""

from __future__ import annotations

import numpy as np

from engines.kernels.interface import (
    copy_state,
    is_over,
    legal_actions,
    play_action,
    position_hash,
    reward,
    rollout,
    side_to_move,
)
from engines.kernels.jit import compiled
from engines.search.selection import LOST, select
from engines.search.settings import EQUIVALENCE, EXPANSION, PLIES, WORTH
from engines.search.tree import (
    BLACK_WINS,
    DEEPEST,
    EDGES,
    STAMP,
    UNKNOWN,
    WHITE_WINS,
    clear,
    node_of,
)

U = np.uint64
ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)


@compiled
def simulate(tree, root, state, random, count, settings):  # type: ignore[no-untyped-def]
    """Add `count` simulations from the position `root`, fewer once it is proven; how many.

    `state` is scratch of the same type. `settings`: float32, shape (5,): exploration, equivalence
    (k of AMAF; 0 for none), visits before a node is expanded, plies of a rollout (negative: all),
    worth of a lead at its end (0: only the winner counts). Several threads share `root`, so it is
    only read: even listing its actions would write to its scratch arrays.
    """
    copy_state(state, root)
    root_node = _root_of(tree, state, random)
    for done in range(count):
        if tree.proven[root_node] != UNKNOWN:
            return done
        copy_state(state, root)
        _simulate_once(tree, root_node, state, random, settings)
    return count


@compiled
def _root_of(tree, state, random):  # type: ignore[no-untyped-def]
    """The node of the position to search, with its edges; a tree that is full is cleared first."""
    for _ in range(2):
        node = node_of(tree, position_hash(state))
        if node != 0 and (
            is_over(state) or tree.edge_count[node] > 0 or _expand(tree, node, state, random)
        ):
            break
        clear(tree)
    return node


@compiled
def _simulate_once(tree, node, state, random, settings):  # type: ignore[no-untyped-def]
    tree.used[STAMP] += 1
    stamp = tree.used[STAMP]
    path = tree.path
    depth = 0
    while True:
        if tree.proven[node] != UNKNOWN:
            value = 1.0 if tree.proven[node] == BLACK_WINS else 0.0
            break
        if is_over(state):
            value = reward(state)
            if value != 0.5:
                tree.proven[node] = BLACK_WINS if value == 1.0 else WHITE_WINS
            break
        is_ripe = tree.visits[node] >= settings[EXPANSION] and depth < DEEPEST - 1
        is_leaf = tree.edge_count[node] == 0
        if is_leaf and not (is_ripe and _expand(tree, node, state, random)):
            value = _judged(state, random, tree, stamp, settings)
            break
        side = side_to_move(state)
        edge = select(tree, node, settings)
        action = tree.actions[edge]
        play_action(state, action)
        tree.marks[action] = stamp
        path[0, depth] = 2 * node + side
        path[1, depth] = edge
        depth += 1
        child = np.int64(tree.children[edge])
        if child == 0:
            child = node_of(tree, position_hash(state))
            if child == 0:
                value = _judged(state, random, tree, stamp, settings)
                node = 0
                break
            tree.children[edge] = child
        node = child
    tree.visits[node] += 1
    _back_up(tree, node, depth, value, stamp, settings[EQUIVALENCE] > 0)


@compiled
def _judged(state, random, tree, stamp, settings):  # type: ignore[no-untyped-def]
    """The value of a leaf for Black, by a random game from it, which leaves its marks."""
    plies, worth = np.int64(settings[PLIES]), np.float64(settings[WORTH])
    return rollout(state, random, tree.marks, stamp, plies, worth)


@compiled
def _expand(tree, node, state, random):  # type: ignore[no-untyped-def]
    """Give `node` its edges, if there is room.

    They begin at a random one, so that ties are not always broken the same way.
    """
    count = legal_actions(state, tree.legal)
    first = tree.used[EDGES]
    if first + count > len(tree.actions):
        return False
    shift = np.int64(random[0] >> np.uint64(40)) % count
    for place in range(count):
        edge = first + place
        source = place + shift
        if source >= count:
            source -= count
        tree.actions[edge] = tree.legal[source]
        tree.children[edge] = 0
        tree.edge_visits[edge] = 0
        tree.wins[edge] = 0
        tree.ahead[edge] = 0
        tree.mark_visits[edge] = 0
        tree.mark_wins[edge] = 0
    tree.used[EDGES] += count
    tree.first_edge[node] = first
    tree.edge_count[node] = count
    return True


@compiled
def _back_up(tree, leaf, depth, value, stamp, with_marks):  # type: ignore[no-untyped-def]
    """Credit the path with Black's `value`, each edge from the view of who chose it."""
    below = leaf
    for level in range(depth - 1, -1, -1):
        node, side = np.int64(tree.path[0, level]) >> 1, tree.path[0, level] & 1
        edge = np.int64(tree.path[1, level])
        won = np.float32(value if side == 0 else 1.0 - value)
        tree.visits[node] += 1
        tree.edge_visits[edge] += ONE
        tree.wins[edge] += won
        tree.ahead[edge] += ONE if won > HALF else HALF if won == HALF else ZERO
        if below != 0 and tree.proven[below] != UNKNOWN:
            _prove(tree, node, edge, below, side)
        if with_marks:
            _credit_marks(tree, node, won, stamp)
        below = node


@compiled
def _credit_marks(tree, node, won, stamp):  # type: ignore[no-untyped-def]
    """Count the simulation for every edge whose action it made; see selection.py on the form."""
    first, count = U(tree.first_edge[node]), U(tree.edge_count[node])
    actions, marks = tree.actions, tree.marks
    mark_visits, mark_wins = tree.mark_visits, tree.mark_wins
    for edge in range(first, first + count):
        is_made = marks[U(actions[edge])] == stamp
        mark_visits[edge] += ONE if is_made else ZERO
        mark_wins[edge] += won if is_made else ZERO


@compiled
def _prove(tree, node, edge, child, side):  # type: ignore[no-untyped-def]
    """Draw the conclusion for `node`, whose player `side` chose `edge`, from its proven child."""
    if tree.proven[node] != UNKNOWN:
        return
    if tree.proven[child] == BLACK_WINS + side:
        tree.proven[node] = BLACK_WINS + side
    elif tree.wins[edge] > LOST / 2:
        tree.wins[edge] = LOST
        tree.lost_edges[node] += 1
        if tree.lost_edges[node] == tree.edge_count[node]:
            tree.proven[node] = WHITE_WINS - side
