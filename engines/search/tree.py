"""The tree of a search: positions, and for each the statistics of its actions.

Nodes are found by the hash of their position, so two orders of the drops of a turn lead to the
same node, and what a search learnt is still there on the next turn. An *edge* is one action in
one node; the edges of a node lie side by side in flat arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.kernels.jit import compiled

U = np.uint64

UNKNOWN, BLACK_WINS, WHITE_WINS = 0, 1, 2
"""What is proven of a node."""

NODES, EDGES, STAMP = range(3)
"""Places in `used`: nodes and edges in use (node 0 is none), and the number of simulations."""

DEEPEST = 4096
"""Actions in the tree part of one simulation."""

BYTES_PER_EDGE = 28
EDGES_PER_NODE = 4


class Tree(NamedTuple):
    """Arrays over nodes (`keys` to `visits`), over edges (`actions` to `mark_wins`), and scratch.

    `wins` (the sum of rewards), `mark_wins` and `ahead` (how many simulations ended with a lead,
    draws by half) are of the player to move in the edge's node. `marks` has the number of
    the last simulation that made an action, shape (actions,). `path` holds the nodes and edges of
    the current simulation, shape (2, DEEPEST). `legal` and `values` are for the node in hand, shape
    (actions,).
    """

    keys: np.ndarray
    first_edge: np.ndarray
    edge_count: np.ndarray
    lost_edges: np.ndarray
    proven: np.ndarray
    visits: np.ndarray
    actions: np.ndarray
    children: np.ndarray
    edge_visits: np.ndarray
    wins: np.ndarray
    ahead: np.ndarray
    mark_visits: np.ndarray
    mark_wins: np.ndarray
    slots: np.ndarray
    used: np.ndarray
    marks: np.ndarray
    path: np.ndarray
    legal: np.ndarray
    values: np.ndarray


def new_tree(action_count: int, megabytes: int) -> Tree:
    """An empty tree that takes about so much memory."""
    edges = max(megabytes * 1_000_000 // (BYTES_PER_EDGE + 40 // EDGES_PER_NODE), 4 * action_count)
    nodes = edges // EDGES_PER_NODE
    slots = 1 << max(nodes * 2 - 1, 1).bit_length()
    tree = Tree(
        keys=np.empty(nodes, np.uint64),
        first_edge=np.empty(nodes, np.int32),
        edge_count=np.empty(nodes, np.int32),
        lost_edges=np.empty(nodes, np.int32),
        proven=np.empty(nodes, np.int8),
        visits=np.empty(nodes, np.int32),
        actions=np.empty(edges, np.int32),
        children=np.empty(edges, np.int32),
        edge_visits=np.empty(edges, np.float32),
        wins=np.empty(edges, np.float32),
        ahead=np.empty(edges, np.float32),
        mark_visits=np.empty(edges, np.float32),
        mark_wins=np.empty(edges, np.float32),
        slots=np.zeros(slots, np.int32),
        used=np.zeros(3, np.int64),
        marks=np.zeros(action_count, np.int32),
        path=np.zeros((2, DEEPEST), np.int32),
        legal=np.zeros(action_count, np.int32),
        values=np.zeros(action_count, np.float32),
    )
    tree.used[NODES] = 1
    return tree


@compiled
def clear(tree):  # type: ignore[no-untyped-def]
    """Forget all nodes."""
    # The last one first: an entry is found as long as those that it had to pass are still there.
    for node in range(tree.used[NODES] - 1, 0, -1):
        tree.slots[_slot(tree, tree.keys[node])] = 0
    tree.used[NODES] = 1
    tree.used[EDGES] = 0


@compiled
def _slot(tree, key):  # type: ignore[no-untyped-def]
    """Where the node with that key is listed, or where it would be."""
    last = U(len(tree.slots) - 1)
    slot = (key ^ (key >> U(32))) & last
    while tree.slots[slot] != 0 and tree.keys[tree.slots[slot]] != key:
        slot = (slot + U(1)) & last
    return slot


@compiled
def find(tree, key):  # type: ignore[no-untyped-def]
    """The node with that key; 0 if there is none. Nothing is changed: any thread may ask."""
    return np.int64(tree.slots[_slot(tree, key)])


@compiled
def node_of(tree, key):  # type: ignore[no-untyped-def]
    """The node with that key, made if there is none; 0 when there is no room."""
    slot = _slot(tree, key)
    node = tree.slots[slot]
    if node == 0 and tree.used[NODES] < len(tree.keys):
        node = tree.used[NODES]
        tree.used[NODES] += 1
        tree.slots[slot] = node
        tree.keys[node] = key
        tree.edge_count[node] = 0
        tree.lost_edges[node] = 0
        tree.proven[node] = UNKNOWN
        tree.visits[node] = 0
    return np.int64(node)
