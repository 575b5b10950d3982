"""The tree of a search: positions, and for each the statistics of its actions.

A *node* is a position whose actions are listed, an *edge* one action in one node. Nodes are found
by the hash of their position, so two orders of the drops of a turn lead to the same node, and what
a search learnt is still there on the next turn.

The tree never fills. Edges lie in a ring: a new node writes its edges at the head, behind one place
that names the node. Where room is wanted, the oldest node at the tail either moves to the head, if
enough simulations came through it since it was written, or is forgotten. How many are enough goes
up and down so that between a quarter and a half of the ring moves in a round. What is forgotten is
only the part of the tree below an edge: the edge itself lies in the parent and loses nothing. At
the start of a turn all nodes count as unused, so that those which can't be reached any more make
room first. After Powley, Cowling and Whitehouse, "Memory bounded Monte Carlo tree search" (AIIDE
2017), who recycle single nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.kernels.jit import compiled

U = np.uint64

UNKNOWN, BLACK_WINS, WHITE_WINS = 0, 1, 2
"""What is proven of a node."""

NODES, FREE, HEAD, TAIL, LENGTH, NEEDED, KEPT, ROUND, STAMP = range(9)
"""Places in `used`: one more than the highest node used so far (node 0 is none), how many of those
are free again, the ends of the ring and the length between them, the simulations that a node needs
to stay, the edges that stayed in this round and those that were looked at, and the number of
simulations so far."""

DEEPEST = 4096
"""Actions in the tree part of one simulation."""

BYTES_PER_EDGE = 28
BYTES_PER_NODE = 64
EDGES_PER_NODE = 16
"""Fewer are possible near the end of a game: then nodes run out before edges do."""

FEWEST_WIDTHS = 4
"""The nodes with every action of the game for which any tree has room."""


class Tree(NamedTuple):
    """Arrays over nodes (`keys` to `seen`), over edges (`actions` to `mark_wins`), and scratch.

    `wins` (the sum of rewards), `mark_wins` and `ahead` (twice the number of simulations that ended
    with a lead, and once that of draws) are of the player to move in the edge's node. `credit`
    counts simulations through a node since it was written, `seen` has the number of the last one.
    `slots` finds nodes by their keys, `free` lists nodes that are free again. `marks` has the
    number of the last simulation that made an action, shape (actions,). `path` holds the nodes of
    the current simulation and the edge's place in each, shape (2, DEEPEST). `legal` and `values`
    are for the node in hand, shape (actions,).
    """

    keys: np.ndarray
    first_edge: np.ndarray
    edge_count: np.ndarray
    lost_edges: np.ndarray
    proven: np.ndarray
    visits: np.ndarray
    credit: np.ndarray
    seen: np.ndarray
    actions: np.ndarray
    edge_visits: np.ndarray
    wins: np.ndarray
    ahead: np.ndarray
    mark_visits: np.ndarray
    mark_wins: np.ndarray
    slots: np.ndarray
    free: np.ndarray
    used: np.ndarray
    marks: np.ndarray
    path: np.ndarray
    legal: np.ndarray
    values: np.ndarray


def new_tree(action_count: int, megabytes: int) -> Tree:
    """Return an empty tree for games with that many actions, of about that size."""
    return tree_of(
        action_count, megabytes * 1_000_000 // (BYTES_PER_EDGE + BYTES_PER_NODE // EDGES_PER_NODE)
    )


def tree_of(action_count: int, edges: int) -> Tree:
    """Return an empty tree with room for `edges` edges, or for a few nodes if that is more."""
    edges = max(edges, FEWEST_WIDTHS * action_count)
    nodes = edges // EDGES_PER_NODE + 2
    slots = 1 << (nodes * 2 - 1).bit_length()
    tree = Tree(
        keys=np.zeros(nodes, np.uint64),
        first_edge=np.zeros(nodes, np.int32),
        edge_count=np.zeros(nodes, np.int32),
        lost_edges=np.zeros(nodes, np.int32),
        proven=np.zeros(nodes, np.int8),
        visits=np.zeros(nodes, np.int64),
        credit=np.zeros(nodes, np.int64),
        seen=np.zeros(nodes, np.int64),
        actions=np.zeros(edges, np.int32),
        edge_visits=np.zeros(edges, np.int32),
        wins=np.zeros(edges, np.float64),
        ahead=np.zeros(edges, np.int32),
        mark_visits=np.zeros(edges, np.float32),
        mark_wins=np.zeros(edges, np.float32),
        slots=np.zeros(slots, np.int32),
        free=np.zeros(nodes, np.int32),
        used=np.zeros(9, np.int64),
        marks=np.zeros(action_count, np.int32),
        path=np.zeros((2, DEEPEST), np.int32),
        legal=np.zeros(action_count, np.int32),
        values=np.zeros(action_count, np.float32),
    )
    tree.used[NODES] = tree.used[NEEDED] = 1
    return tree


@compiled
def clear(tree):  # type: ignore[no-untyped-def]
    """Forget all nodes."""
    if tree.used[NODES] > 1:
        for slot in range(len(tree.slots)):
            tree.slots[slot] = 0
    for place in range(STAMP):
        tree.used[place] = 0
    tree.used[NODES] = tree.used[NEEDED] = 1


@compiled
def begin_turn(tree):  # type: ignore[no-untyped-def]
    """Count every node as unused, so that those which stay out of use make room first."""
    for node in range(tree.used[NODES]):
        tree.credit[node] = 0


@compiled
def find(tree, key):  # type: ignore[no-untyped-def]
    """Return the node with that key, or 0. Nothing is changed, so any thread may ask."""
    return np.int64(tree.slots[_slot(tree, key)])


@compiled
def add_node(tree, key, count):  # type: ignore[no-untyped-def]
    """Return a new node for a key that has none, or 0 if nothing may make room for it.

    Of its `count` edges only the statistics are set. Nodes on the path of the current simulation
    stay in the tree.
    """
    if not _make_room(tree, count + 1):
        return np.int64(0)
    used = tree.used
    if used[FREE] > 0:
        used[FREE] -= 1
        node = np.int64(tree.free[used[FREE]])
    else:
        node = used[NODES]
        used[NODES] += 1
    tree.slots[_slot(tree, key)] = node
    tree.keys[node] = key
    tree.lost_edges[node] = 0
    tree.proven[node] = UNKNOWN
    tree.visits[node] = 0
    tree.credit[node] = 0
    tree.seen[node] = used[STAMP]
    _write_header(tree, node, count)
    first = U(tree.first_edge[node])
    for edge in range(first, first + U(count)):
        tree.edge_visits[edge] = 0
        tree.wins[edge] = 0
        tree.ahead[edge] = 0
        tree.mark_visits[edge] = 0
        tree.mark_wins[edge] = 0
    return node


@compiled
def _make_room(tree, length):  # type: ignore[no-untyped-def]
    """Free a node and `length` places at the head; return False if too much is in use."""
    used, capacity = tree.used, len(tree.actions)
    looked_at = 0
    while True:
        has_node = used[FREE] > 0 or used[NODES] < len(tree.keys)
        if used[HEAD] + length > capacity:
            if used[LENGTH] + capacity - used[HEAD] <= capacity:
                _skip_to_start(tree)
                continue
        elif has_node and used[LENGTH] + length <= capacity:
            return True
        if looked_at >= 2 * capacity:
            return False
        looked_at += _recycle_oldest(tree)


@compiled
def _recycle_oldest(tree):  # type: ignore[no-untyped-def]
    """Move the node at the tail to the head or forget it; return how many places it took there."""
    used, capacity = tree.used, len(tree.actions)
    tail = used[TAIL]
    node, count = np.int64(tree.actions[tail]), np.int64(tree.edge_visits[tail])
    length = count + 1
    used[TAIL] = (tail + length) % capacity
    used[LENGTH] -= length
    used[ROUND] += length
    # A gap at the end of the ring has no node.
    if node != 0:
        if tree.credit[node] >= used[NEEDED] or tree.seen[node] == used[STAMP]:
            tree.credit[node] >>= 1
            used[KEPT] += length
            if used[HEAD] + length > capacity:
                _skip_to_start(tree)
            _move_edges(tree, tail + 1, used[HEAD] + 1, count)
            _write_header(tree, node, count)
        else:
            _unlist(tree, node)
            tree.free[used[FREE]] = node
            used[FREE] += 1
    if used[ROUND] >= capacity:
        if used[KEPT] > capacity // 2:
            used[NEEDED] *= 2
        elif used[KEPT] < capacity // 4:
            used[NEEDED] = max(used[NEEDED] // 2, 1)
        used[ROUND] = used[KEPT] = 0
    return length


@compiled
def _skip_to_start(tree):  # type: ignore[no-untyped-def]
    """Leave what lies between the head and the end of the arrays as a gap."""
    used = tree.used
    gap = len(tree.actions) - used[HEAD]
    tree.actions[used[HEAD]] = 0
    tree.edge_visits[used[HEAD]] = gap - 1
    used[HEAD] = 0
    used[LENGTH] += gap


@compiled
def _write_header(tree, node, count):  # type: ignore[no-untyped-def]
    """Give `node` the next `count` edges from the head on."""
    used = tree.used
    head = used[HEAD]
    tree.actions[head] = node
    tree.edge_visits[head] = count
    tree.first_edge[node] = head + 1
    tree.edge_count[node] = count
    used[HEAD] = (head + count + 1) % len(tree.actions)
    used[LENGTH] += count + 1


@compiled
def _move_edges(tree, source, target, count):  # type: ignore[no-untyped-def]
    """Copy edges to where they may overlap with themselves, the first ones first."""
    if source == target:
        return
    for place in range(count):
        tree.actions[target + place] = tree.actions[source + place]
        tree.edge_visits[target + place] = tree.edge_visits[source + place]
        tree.wins[target + place] = tree.wins[source + place]
        tree.ahead[target + place] = tree.ahead[source + place]
        tree.mark_visits[target + place] = tree.mark_visits[source + place]
        tree.mark_wins[target + place] = tree.mark_wins[source + place]


@compiled
def _slot(tree, key):  # type: ignore[no-untyped-def]
    """Return where the node with that key is listed, or where it would be."""
    last = U(len(tree.slots) - 1)
    slot = (key ^ (key >> U(32))) & last
    while tree.slots[slot] != 0 and tree.keys[tree.slots[slot]] != key:
        slot = (slot + U(1)) & last
    return slot


@compiled
def _unlist(tree, node):  # type: ignore[no-untyped-def]
    """Take a node out of `slots`; later ones that had to pass it move up (Knuth's algorithm R)."""
    last = U(len(tree.slots) - 1)
    hole = _slot(tree, tree.keys[node])
    slot = hole
    while True:
        slot = (slot + U(1)) & last
        other = tree.slots[slot]
        if other == 0:
            break
        key = tree.keys[other]
        home = (key ^ (key >> U(32))) & last
        if (slot - home) & last >= (slot - hole) & last:
            tree.slots[hole] = other
            hole = slot
    tree.slots[hole] = 0
