"""The tree of a search, which several threads share: positions, and what is known of their actions.

A *node* is a position whose actions are listed, an *edge* an action of it that was tried. Nodes are
found by the hash of their position, so two orders of the drops of a turn lead to the same node, and
what a search learnt is still there on the next turn.

What a node knows lies in one *block* of the ring that `recycling.py` explains: for every action the
little that all-moves-as-first knows, and room for some edges, since most actions never need one.
When that is full, the node gets another block with twice the room.

Threads add blocks at the head of the ring, each by one atomic step, and change what lies in them
without a lock: now and then what one thread counted is lost, and nothing worse, because a block
stays where it is and what it is until all threads stand still (`recycling.py` again). Nodes through
which most simulations go are copied by each thread (`copies.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.jit import compiled, unaliased
from oddly.engines.kernels.numbers import exchange_if

U = np.uint64

UNKNOWN, BLACK_WINS, WHITE_WINS = 0, 1, 2
"""What is proven of a node."""

ROW = 8
FIRST, TRIED, VISITS, CREDIT, PROVEN, LOCKED = range(2, ROW)
"""Places in a node's row: where its block is, in lines; its edges; the simulations that came
through it, and those since it was last asked whether it is in use; what is proven; and whether a
thread is adding an edge. The first two places together are its key."""

NODE, LINES, COUNT, ROOM, HEADER = range(5)
"""Places in a block: its node (0 if that has another block, negative if it was never listed), its
length in lines, how many actions it lists and how many edges it has room for. `marks_of`,
`edges_of` and `policy_of` find what follows."""

LINE = 16
"""Words in a line of the processor's cache, at which every block begins."""

HEAD, NODES, FREE = 0, 8, 9
TAIL, LIMIT, IS_FULL, ROOT, LENGTH, NEEDED, KEPT, SEEN, CAPACITY = range(17, 26)
"""Places in `used`: the ends of the ring and how far the head may go, in lines; whether that was
too little; the node searched; one more than the highest node so far (node 0 is none) and how many
of those are free again; the figures of `recycling.py`; and the lines of the whole ring. What
threads change at every node lies on lines of its own, apart from what they only read."""

FIRST_ROOM = 4
"""Edges that a new node has room for."""

LINES_A_NODE = 4
"""Smaller nodes are possible near the end of a game: then rows run out before lines do."""

FEWEST_WIDTHS = 16
"""Any tree has room for this many nodes with every action of the game."""

COPIES = 64
"""Nodes that a thread may copy at a time (`copies.py`)."""

COPIES_PART = 8
"""The part of a tree that all copies take, at most."""


class Tree(NamedTuple):
    """Arrays that all threads share.

    `nodes` has a row for each node, and `keys` is a view of the keys in it. `words` is the ring,
    `floats` and `doubles` are views of it. `slots` finds nodes by key, `free` lists the nodes
    that are free again, `used` has single numbers. Behind the nodes and the ring there is room for
    the copies of each thread.
    """

    nodes: np.ndarray
    keys: np.ndarray
    words: np.ndarray
    floats: np.ndarray
    doubles: np.ndarray
    slots: np.ndarray
    free: np.ndarray
    used: np.ndarray


def new_tree(action_count: int, megabytes: int, threads: int = 1) -> Tree:
    """Return an empty tree for games with that many actions, of about that size."""
    bytes_per_node = 4 * (LINES_A_NODE * LINE + ROW + 1 + 3)
    return tree_of(action_count, megabytes * 1_000_000 // bytes_per_node * LINES_A_NODE, threads)


def tree_of(action_count: int, lines: int, threads: int = 1) -> Tree:
    """Return an empty tree of `lines` lines, or with room for a few nodes if that is more.

    With several threads, a part of the lines is for their copies.
    """
    widest = block_lines(action_count, action_count)
    copying = threads if threads > 1 else 0
    copies = copying * min(2 * COPIES * widest, lines // COPIES_PART // threads)
    lines = max(lines - copies, FEWEST_WIDTHS * widest)
    rows = lines // LINES_A_NODE + 2
    nodes = np.zeros((rows + copying * COPIES, ROW), np.int32)
    words = np.zeros((lines + copies) * LINE, np.int32)
    tree = Tree(
        nodes=nodes.reshape(-1),
        keys=nodes.view(np.uint64)[:, 0],
        words=words,
        floats=words.view(np.float32),
        doubles=words.view(np.float64),
        slots=np.zeros(1 << (rows * 2 - 1).bit_length(), np.int32),
        free=np.zeros(rows, np.int32),
        used=np.zeros(32, np.int64),
    )
    tree.used[NODES] = tree.used[NEEDED] = 1
    tree.used[CAPACITY] = lines
    return tree


@compiled
def block_lines(count, room):  # type: ignore[no-untyped-def]
    """Return the length in lines of a block for `count` actions and `room` edges."""
    return (HEADER + 3 * count + 1 + 5 * room + LINE - 1) // LINE


@compiled
def block_of(tree, node):  # type: ignore[no-untyped-def]
    """Return the place in `words` where the block of `node` begins; ask once, since it may move."""
    return np.int64(tree.nodes[node * ROW + FIRST]) * LINE


@compiled
def marks_of(block, count):  # type: ignore[no-untyped-def]
    """Return where the visits of all-moves-as-first begin, in `floats`; the wins follow them.

    The actions lie before them, from `block + HEADER` on.
    """
    return block + HEADER + count


@compiled
def edges_of(block, count, room):  # type: ignore[no-untyped-def]
    """Return where four columns of a block's edges begin.

    They are the sum of rewards of the player to move (in `doubles`), the visits, 2 for each
    simulation that ended with a lead and 1 for each draw, and the place of the action among the
    node's (in `words`).
    """
    wins = (block + HEADER + 3 * count + 1) // 2
    visits = 2 * wins + 2 * room
    return wins, visits, visits + room, visits + 2 * room


@compiled
def policy_lines(count):  # type: ignore[no-untyped-def]
    """Return how many lines a policy for `count` actions takes at the end of a block."""
    return (count + LINE - 1) // LINE


@compiled
def policy_of(tree, block):  # type: ignore[no-untyped-def]
    """Return where the network's shares of a node, or of a copy's node, are in `floats`; or -1."""
    words = tree.words
    owner = np.int64(words[block + NODE])
    home = block_of(tree, owner) if owner > 0 else block
    lines = block_lines(np.int64(words[home + COUNT]), np.int64(words[home + ROOM]))
    return home + lines * LINE if words[home + LINES] > lines else -1


@compiled
def clear(tree):  # type: ignore[no-untyped-def]
    """Forget all nodes."""
    if tree.used[NODES] > 1:
        for slot in range(len(tree.slots)):
            tree.slots[slot] = 0
    for place in range(CAPACITY):
        tree.used[place] = 0
    tree.used[NODES] = tree.used[NEEDED] = 1


@compiled
def begin_turn(tree):  # type: ignore[no-untyped-def]
    """Count every node as unused, so that those that stay unused make room first."""
    for node in range(tree.used[NODES]):
        tree.nodes[node * ROW + CREDIT] = 0
    tree.used[NEEDED] = 1


@compiled
def home_of(key, slots):  # type: ignore[no-untyped-def]
    """Return the first of `slots` places, a power of two, where a key may be listed."""
    return (key ^ (key >> U(32))) & U(slots - 1)


@compiled
def find(tree, key):  # type: ignore[no-untyped-def]
    """Return the node with that key, or 0."""
    last = U(len(tree.slots) - 1)
    slot = home_of(key, len(tree.slots))
    while True:
        # Read once: another thread may list a node here at any time.
        node = np.int64(tree.slots[slot])
        if node == 0 or tree.keys[node] == key:
            return node
        slot = (slot + U(1)) & last


@compiled
def add_node(tree, key, actions, count, shift):  # type: ignore[no-untyped-def]
    """Return the node for a key, made if there is none; 0 if there is no room.

    Its actions are the first `count` of `actions`, rotated to begin at place `shift`.
    """
    lines = block_lines(count, FIRST_ROOM)
    first = _take_lines(tree, lines)
    if first < 0:
        return 0
    node = _take_row(tree)
    row, block = node * ROW, first * LINE
    write_header(tree, block, node, lines, count, FIRST_ROOM)
    if node == 0:
        return 0
    _list_actions(tree.words, U(block + HEADER), actions, U(count), U(shift))
    for place in range(FIRST, ROW):
        tree.nodes[row + place] = 0
    tree.nodes[row + FIRST] = first
    tree.keys[node] = key
    last = U(len(tree.slots) - 1)
    slot = home_of(key, len(tree.slots))
    while True:
        other = np.int64(tree.slots[slot])
        if other == 0:
            if exchange_if(tree.slots, np.int64(slot), 0, node):
                return node
        elif tree.keys[other] == key:
            # Another thread was faster.
            tree.words[block + NODE] = -node
            return other
        else:
            slot = (slot + U(1)) & last


@unaliased
def _list_actions(words, first, actions, count, shift):  # type: ignore[no-untyped-def]
    """Write the actions of a node, rotated to begin at place `shift`, and nothing known of them."""
    for place in range(count - shift):
        words[first + place] = actions[shift + place]
    for place in range(shift):
        words[first + count - shift + place] = actions[place]
    for place in range(first + count, first + U(3) * count):
        words[place] = 0


@compiled
def edge_of(tree, node, place):  # type: ignore[no-untyped-def]
    """Return the number of the edge for the action in that place, made if there is none.

    Return -1 if there is no room, or if another thread is adding one.
    """
    block = block_of(tree, node)
    edge = _edge_in(tree, node, block, place)
    if edge >= 0:
        return edge
    row = node * ROW
    if not exchange_if(tree.nodes, row + LOCKED, 0, 1):
        return -1
    # Another thread may just have been here.
    edge = edge_of_locked(tree, node, place)
    exchange_if(tree.nodes, row + LOCKED, 1, 0)
    return edge


@compiled
def edge_of_locked(tree, node, place):  # type: ignore[no-untyped-def]
    """Do as `edge_of` does; the caller has set the node's `LOCKED`."""
    row, block = node * ROW, block_of(tree, node)
    edge = _edge_in(tree, node, block, place)
    if edge >= 0:
        return edge
    tried = np.int64(tree.nodes[row + TRIED])
    if tried == tree.words[block + ROOM]:
        block = _give_room(tree, node, block)
        if block < 0:
            return -1
    count, room = np.int64(tree.words[block + COUNT]), np.int64(tree.words[block + ROOM])
    wins, visits, ahead, places = edges_of(block, count, room)
    tree.doubles[wins + tried] = 0.0
    tree.words[visits + tried] = tree.words[ahead + tried] = 0
    tree.words[places + tried] = place
    exchange_if(tree.nodes, row + TRIED, tried, tried + 1)
    return tried


@compiled
def _edge_in(tree, node, block, place):  # type: ignore[no-untyped-def]
    """Return the number of the edge for the action in that place; -1 if it has none."""
    words = tree.words
    count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
    places = U(edges_of(block, count, room)[3])
    for edge in range(U(min(np.int64(tree.nodes[node * ROW + TRIED]), room))):
        if words[places + edge] == place:
            return np.int64(edge)
    return -1


@compiled
def _give_room(tree, node, block):  # type: ignore[no-untyped-def]
    """Return a new block for `node` with twice the room for edges; -1 if the ring is too full."""
    words = tree.words
    count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
    policy = policy_of(tree, block)
    target = renew(tree, node, block, min(2 * room, count), policy >= 0)
    if target < 0:
        return -1
    if policy >= 0:
        for place in range(count):
            tree.floats[policy_of(tree, target) + place] = tree.floats[policy + place]
    show(tree, node, block, target)
    return target


@compiled
def renew(tree, node, block, room, has_policy):  # type: ignore[no-untyped-def]
    """Return a longer block with the same edges, which nothing leads to yet; -1 without room."""
    words = tree.words
    count = np.int64(words[block + COUNT])
    lines = block_lines(count, room) + (policy_lines(count) if has_policy else 0)
    first = _take_lines(tree, lines)
    if first < 0:
        return -1
    target = first * LINE
    write_header(tree, target, 0, lines, count, room)
    copy_block(tree, block, target, np.int64(words[block + ROOM]))
    return target


@compiled
def show(tree, node, block, target):  # type: ignore[no-untyped-def]
    """Let `target` take the place of a node's `block`."""
    tree.words[target + NODE] = node
    tree.words[block + NODE] = 0
    exchange_if(tree.nodes, node * ROW + FIRST, block // LINE, target // LINE)


@compiled
def copy_block(tree, block, target, tried):  # type: ignore[no-untyped-def]
    """Copy what a block knows, with its first `tried` edges, to one that has its header."""
    words, doubles = tree.words, tree.doubles
    count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
    for place in range(HEADER, HEADER + 3 * count):
        words[target + place] = words[block + place]
    wins, visits, ahead, places = edges_of(block, count, room)
    columns = edges_of(target, count, np.int64(words[target + ROOM]))
    new_wins, new_visits, new_ahead, new_places = columns
    for edge in range(tried):
        doubles[new_wins + edge] = doubles[wins + edge]
        words[new_visits + edge] = words[visits + edge]
        words[new_ahead + edge] = words[ahead + edge]
        words[new_places + edge] = words[places + edge]


@compiled
def write_header(tree, block, node, lines, count, room):  # type: ignore[no-untyped-def]
    """Write the header of a new block."""
    tree.words[block + NODE] = node
    tree.words[block + LINES] = lines
    tree.words[block + COUNT] = count
    tree.words[block + ROOM] = room


@compiled
def _take_lines(tree, lines):  # type: ignore[no-untyped-def]
    """Return the first of that many lines at the head of the ring; -1 if there are too few."""
    used = tree.used
    while True:
        head = used[HEAD]
        if head + lines > used[LIMIT]:
            used[IS_FULL] = 1
            return -1
        if exchange_if(used, HEAD, head, head + lines):
            return head


@compiled
def _take_row(tree):  # type: ignore[no-untyped-def]
    """Return the number of a node that is not in use; 0 if there is none."""
    used = tree.used
    while used[FREE] > 0:
        free = used[FREE]
        node = np.int64(tree.free[free - 1])
        if exchange_if(used, FREE, free, free - 1):
            return node
    while used[NODES] < len(tree.free):
        node = used[NODES]
        if exchange_if(used, NODES, node, node + 1):
            return node
    used[IS_FULL] = 1
    return 0
