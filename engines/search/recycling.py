"""How a tree makes room so that it never fills, and where its threads stop for that.

The blocks of a tree lie in a ring: new ones at the head, the oldest at the tail. The head may go as
far as LIMIT. There all threads stop, and one of them goes through the blocks at the tail: a node
through which enough simulations came since it was last looked at moves to the head, any other is
forgotten. How many are enough goes up and down so that between a quarter and a half of the lines
move. What is forgotten is only the part of the tree below an edge: the edge itself lies in the
parent and loses nothing. At the start of a turn all nodes count as unused, so that those out of
reach make room first. After Powley, Cowling and Whitehouse, "Memory bounded Monte Carlo tree
search" (AIIDE 2017), who recycle single nodes.
"""

from __future__ import annotations

from threading import Condition
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.jit import compiled
from oddly.engines.search.tree import (
    CAPACITY,
    CREDIT,
    FIRST,
    FREE,
    HEAD,
    IS_FULL,
    KEPT,
    LENGTH,
    LIMIT,
    LINE,
    LINES,
    NEEDED,
    NODE,
    NODES,
    ROOT,
    ROW,
    SEEN,
    TAIL,
    U,
    home_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable


STEPS = 16
"""The part of the ring that one call makes room in, at least."""

MAX_LINES = 1 << 16
"""Four megabytes, which take a millisecond or two: short turns can bear that."""


@compiled
def make_room(tree, widest):  # type: ignore[no-untyped-def]
    """Let the head advance by more than the `widest` block. No other thread may use the tree."""
    used, capacity = tree.used, tree.used[CAPACITY]
    wanted = max(min(capacity // STEPS, MAX_LINES), 2 * widest)
    wanted_rows = len(tree.free) // (2 * STEPS)
    used[LENGTH] = used[HEAD] - used[TAIL]
    if used[LENGTH] < 0:
        used[LENGTH] += capacity
    looked_at = 0
    while used[LENGTH] > 0:
        head, tail = used[HEAD], used[TAIL]
        if used[FREE] + len(tree.free) - used[NODES] > wanted_rows:
            if head > tail and capacity - head >= wanted:
                used[LIMIT] = capacity
                break
            if head > tail > wanted:
                _skip_to_start(tree)
                continue
            if head <= tail and tail - head > wanted:
                # A head that reached the tail would look like an empty ring.
                used[LIMIT] = tail - 1
                break
        looked_at += _recycle_oldest(tree, looked_at >= 2 * capacity, wanted)
    if used[LENGTH] == 0:
        used[HEAD] = used[TAIL] = 0
        used[LIMIT] = capacity
    used[IS_FULL] = 0


@compiled
def _recycle_oldest(tree, must_go, period):  # type: ignore[no-untyped-def]
    """Move the node at the tail to the head or forget it; return how many lines it took there.

    The number of simulations that a node needs is adjusted every `period` lines.
    """
    used = tree.used
    block = used[TAIL] * LINE
    node, lines = np.int64(tree.words[block + NODE]), np.int64(tree.words[block + LINES])
    used[TAIL] += lines
    if used[TAIL] == used[CAPACITY]:
        used[TAIL] = 0
    used[LENGTH] -= lines
    used[SEEN] += lines
    if node > 0:
        credit = np.int64(tree.nodes[node * ROW + CREDIT])
        if node == used[ROOT] or (credit >= used[NEEDED] and not must_go):
            tree.nodes[node * ROW + CREDIT] = credit >> 1
            used[KEPT] += lines
            _move_to_head(tree, node, block, lines)
        else:
            _unlist(tree, node)
            node = -node
    if node < 0:
        tree.free[used[FREE]] = -node
        used[FREE] += 1
    if used[SEEN] >= period:
        if 2 * used[KEPT] > used[SEEN]:
            used[NEEDED] *= 2
        elif 4 * used[KEPT] < used[SEEN]:
            used[NEEDED] = max(used[NEEDED] // 2, 1)
        used[SEEN] = used[KEPT] = 0
    return lines


@compiled
def _skip_to_start(tree):  # type: ignore[no-untyped-def]
    """Leave what lies between the head and the end of the ring as an unused block."""
    used = tree.used
    gap = used[CAPACITY] - used[HEAD]
    if gap > 0:
        tree.words[used[HEAD] * LINE + NODE] = 0
        tree.words[used[HEAD] * LINE + LINES] = gap
    used[HEAD] = 0
    used[LENGTH] += gap


@compiled
def _move_to_head(tree, node, block, lines):  # type: ignore[no-untyped-def]
    """Copy the block that was at the tail to the head; they may overlap, so first words first."""
    used, words = tree.used, tree.words
    if used[LENGTH] == 0:
        used[HEAD] = used[TAIL] = 0
    elif used[HEAD] > used[TAIL] and used[HEAD] + lines > used[CAPACITY]:
        _skip_to_start(tree)
    target = used[HEAD] * LINE
    for word in range(lines * LINE):
        words[target + word] = words[block + word]
    tree.nodes[node * ROW + FIRST] = used[HEAD]
    used[HEAD] += lines
    used[LENGTH] += lines


@compiled
def _unlist(tree, node):  # type: ignore[no-untyped-def]
    """Take a node out of `slots`; later ones that had to pass it move up (Knuth's algorithm R)."""
    last = U(len(tree.slots) - 1)
    hole = home_of(tree.keys[node], len(tree.slots))
    while tree.slots[hole] != node:
        hole = (hole + U(1)) & last
    slot = hole
    while True:
        slot = (slot + U(1)) & last
        other = tree.slots[slot]
        if other == 0:
            break
        home = home_of(tree.keys[other], len(tree.slots))
        if (slot - home) & last >= (slot - hole) & last:
            tree.slots[hole] = other
            hole = slot
    tree.slots[hole] = 0


class Barrier:
    """Work that is done when all threads that take part wait for it or have left."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._condition = Condition()
        self._present = self._waiting = self._rounds = 0

    def begin(self, threads: int) -> None:
        """Let that many threads take part; each calls `leave` in the end."""
        self._present, self._waiting = threads, 0

    def wait(self) -> None:
        """Return when the work is done. Raises what the work raises."""
        with self._condition:
            self._waiting += 1
            rounds = self._rounds
            self._work_if_all_wait()
            self._condition.wait_for(lambda: self._rounds != rounds)

    def leave(self) -> None:
        """Take part no longer."""
        with self._condition:
            self._present -= 1
            self._work_if_all_wait()

    def _work_if_all_wait(self) -> None:
        if 0 < self._waiting == self._present:
            try:
                self._work()
            finally:
                self._waiting = 0
                self._rounds += 1
                self._condition.notify_all()
