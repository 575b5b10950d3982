"""A thread's own copies of the nodes that it goes through most.

All simulations count at the same first nodes. A processor lets only one core at a time write to a
line of memory, so with several threads most of a simulation would be spent waiting for lines that
another core wrote. Therefore each thread copies these nodes, counts at its copies for a slice of
simulations, and then adds to the nodes what it counted.

A copy is a node like any other, except that it belongs to one thread: it lies behind the others,
with room for every edge, and only that thread finds it. Its block names the node instead of itself,
and behind that lies another block that keeps what was copied: in place of a node, it has the number
of the edges.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled, unaliased
from oddly.engines.kernels.numbers import exchange_if
from oddly.engines.search.settings import LOST_WINS, WON_WINS
from oddly.engines.search.tree import (
    CAPACITY,
    COPIES,
    COUNT,
    CREDIT,
    FIRST,
    LINE,
    LOCKED,
    NODE,
    PROVEN,
    ROOM,
    ROW,
    TRIED,
    UNKNOWN,
    VISITS,
    Tree,
    block_lines,
    block_of,
    copy_block,
    edge_of_locked,
    edges_of,
    find,
    home_of,
    marks_of,
    write_header,
)

U = np.uint64
HALF, ONE = np.float32(0.5), np.float32(1)

SLOTS = 4 * COPIES

SLICE_PART, FEWEST, MOST = 16, 16, 4096
"""A slice is that part of the simulations of the position searched, within limits."""

USES = 8
"""A node is copied if at least this many simulations of a slice are likely to go through it."""

STAMP, FIRST_COPY, MADE, START, NEXT, END, LEAST, FIRST_SLOT = range(8)
"""Places in what a thread knows of its copies: the number of its last simulation; its first copy
and the number of its copies; where the lines for them begin, where the next one goes, and where
they end; the visits that make a node worth a copy; and SLOTS places that find a copy by its key, as
in a tree. All is in one array, because each array that a simulation hands on costs time."""


def copies_in(tree: Tree, number: int, threads: int) -> np.ndarray:
    """Return the copies of the thread with that number, one of `threads` that share `tree`."""
    lines = (len(tree.words) // LINE - int(tree.used[CAPACITY])) // threads
    start = int(tree.used[CAPACITY]) + number * lines
    copies = np.zeros(FIRST_SLOT + SLOTS, np.int64)
    copies[FIRST_COPY] = len(tree.free) + number * COPIES
    copies[START], copies[NEXT], copies[END] = start, start, start + lines
    return copies


@compiled
def has_copies(copies):  # type: ignore[no-untyped-def]
    """Return whether the thread makes copies at all."""
    return copies[END] > copies[START]


@compiled
def begin_copies(tree, copies, key, most):  # type: ignore[no-untyped-def]
    """Return how many simulations to do, `most` at most, before `add_copies`.

    `key` is that of the position searched. The more is known of it, the longer this thread may keep
    its counts from the others.
    """
    if not has_copies(copies):
        return most
    root = find(tree, key)
    visits = np.int64(tree.nodes[root * ROW + VISITS]) if root != 0 else 0
    count = min(most, max(FEWEST, min(visits // SLICE_PART, MOST)))
    copies[LEAST] = max(USES, USES * visits // count)
    return count


@compiled
def node_of(tree, copies, key, is_copied):  # type: ignore[no-untyped-def]
    """Return the node with that key, or 0, and whether it is a copy.

    It can be a copy only if the node before it in a simulation `is_copied`, which saves time.
    """
    if not is_copied:
        return find(tree, key), False
    copy = _find_copy(tree, copies, key)
    if copy != 0:
        return copy, True
    node = find(tree, key)
    if node == 0:
        return 0, False
    copy = _copy_if_used(tree, copies, node)
    return copy, copy != node


@compiled
def _find_copy(tree, copies, key):  # type: ignore[no-untyped-def]
    """Return the copy of the node with that key, or 0."""
    slot = np.int64(home_of(key, SLOTS))
    while True:
        copy = copies[FIRST_SLOT + slot]
        if copy == 0 or tree.keys[copy] == key:
            return copy
        slot = (slot + 1) & (SLOTS - 1)


@compiled
def _copy_if_used(tree, copies, node):  # type: ignore[no-untyped-def]
    """Return a new copy of `node`; the node itself if it is little used or there is no room."""
    row = node * ROW
    if tree.nodes[row + VISITS] < copies[LEAST] or copies[MADE] == COPIES:
        return node
    block = block_of(tree, node)
    count, room = np.int64(tree.words[block + COUNT]), np.int64(tree.words[block + ROOM])
    lines = block_lines(count, count)
    if copies[NEXT] + 2 * lines > copies[END]:
        return node
    copy = copies[FIRST_COPY] + copies[MADE]
    tree.nodes[copy * ROW + FIRST] = copies[NEXT]
    _copy_node(tree, node, copy, block, min(np.int64(tree.nodes[row + TRIED]), room))
    slot = np.int64(home_of(tree.keys[copy], SLOTS))
    while copies[FIRST_SLOT + slot] != 0:
        slot = (slot + 1) & (SLOTS - 1)
    copies[FIRST_SLOT + slot] = copy
    copies[NEXT] += 2 * lines
    copies[MADE] += 1
    return copy


@compiled
def _copy_node(tree, node, copy, block, tried):  # type: ignore[no-untyped-def]
    """Write to `copy` what is known of `node`, whose first `tried` edges are in `block`."""
    count, own = np.int64(tree.words[block + COUNT]), block_of(tree, copy)
    lines = block_lines(count, count)
    kept = own + lines * LINE
    write_header(tree, own, node, lines, count, count)
    write_header(tree, kept, tried, lines, count, count)
    copy_block(tree, block, own, tried)
    copy_block(tree, own, kept, tried)
    row, source = copy * ROW, node * ROW
    tree.nodes[row + TRIED] = tried
    tree.nodes[row + VISITS] = tree.nodes[source + VISITS]
    tree.nodes[row + PROVEN] = tree.nodes[source + PROVEN]
    tree.nodes[row + CREDIT] = tree.nodes[row + LOCKED] = 0
    tree.keys[copy] = tree.keys[node]


@compiled
def add_copies(tree, copies):  # type: ignore[no-untyped-def]
    """Add to the nodes what was counted at their copies, and forget the copies."""
    if not has_copies(copies):
        return
    for copy in range(copies[FIRST_COPY], copies[FIRST_COPY] + copies[MADE]):
        node = np.int64(tree.words[block_of(tree, copy) + NODE])
        # Another thread holds the lock for a microsecond.
        while not exchange_if(tree.nodes, node * ROW + LOCKED, 0, 1):
            pass
        _add_copy(tree, copy, node)
        exchange_if(tree.nodes, node * ROW + LOCKED, 1, 0)
    copies[MADE], copies[NEXT] = 0, copies[START]
    for slot in range(SLOTS):
        copies[FIRST_SLOT + slot] = 0


@compiled
def _add_copy(tree, copy, node):  # type: ignore[no-untyped-def]
    """Add what was counted at `copy` to `node`, whose `LOCKED` the caller has set."""
    nodes, words, doubles = tree.nodes, tree.words, tree.doubles
    own = block_of(tree, copy)
    count = np.int64(words[own + COUNT])
    kept = own + block_lines(count, count) * LINE
    nodes[node * ROW + VISITS] += nodes[copy * ROW + CREDIT]
    nodes[node * ROW + CREDIT] += nodes[copy * ROW + CREDIT]
    wins, visits, ahead, places = edges_of(own, count, count)
    old_wins, old_visits, old_ahead, _ = edges_of(kept, count, count)
    for edge in range(nodes[copy * ROW + TRIED]):
        # The node's own edges keep their numbers; another thread may have added some.
        is_old = edge < words[kept + NODE]
        to = edge if is_old else edge_of_locked(tree, node, words[places + edge])
        if to < 0:
            continue
        block = block_of(tree, node)
        columns = edges_of(block, count, np.int64(words[block + ROOM]))
        all_wins, all_visits, all_ahead, _ = columns
        won = doubles[wins + edge]
        if won <= LOST_WINS / 2 or won >= WON_WINS / 2:
            doubles[all_wins + to] = won
        elif LOST_WINS / 2 < doubles[all_wins + to] < WON_WINS / 2:
            doubles[all_wins + to] += won - (doubles[old_wins + edge] if is_old else 0.0)
        words[all_visits + to] += words[visits + edge] - (words[old_visits + edge] if is_old else 0)
        words[all_ahead + to] += words[ahead + edge] - (words[old_ahead + edge] if is_old else 0)
    marks, old_marks = U(marks_of(own, count)), U(marks_of(kept, count))
    all_marks = U(marks_of(block_of(tree, node), count))
    _add_marks(tree.floats, all_marks, marks, old_marks, U(count))
    if nodes[copy * ROW + PROVEN] != UNKNOWN:
        nodes[node * ROW + PROVEN] = nodes[copy * ROW + PROVEN]


@unaliased
def _add_marks(floats, all_marks, marks, old_marks, count):  # type: ignore[no-untyped-def]
    """Add what all-moves-as-first counted; see `simulation.py` on sums that were halved."""
    for place in range(count):
        visits, old_visits = floats[marks + place], floats[old_marks + place]
        part = HALF if visits < old_visits else ONE
        floats[all_marks + place] = part * floats[all_marks + place] + (visits - part * old_visits)
        wins, old_wins = floats[marks + count + place], floats[old_marks + count + place]
        total = part * floats[all_marks + count + place] + (wins - part * old_wins)
        floats[all_marks + count + place] = total
