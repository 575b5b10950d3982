"""The transposition table of the solver, and its stack of states.

An entry is two numbers of 64 bits, a key and what is known; four entries make a bucket of one
cache line. What is known, packed, from the lowest bit: 2 bits for the least value and 2 bits for
the greatest value of the position for its mover, 6 bits for the effort (the bit length of the
number of nodes that the proof took), the rest for one more than the mover's action that secures
the least value (0: none known).

A stack is itself a state of the same type, whose arrays have one more axis in front: the depth.
Arrays that two new states share are the board's tables; they stay single, with a depth of 1. So
does the tuple `unrolled` of some states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.kernels.interface import STATES, new_state
from oddly.engines.kernels.jit import by_state, compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games import Game


LOSS, DRAW, WIN = 0, 1, 2
"""Values of a position for its mover."""

UNKNOWN = LOSS | WIN << 2
"""What is known of a position that is in no entry."""

ENTRY_BYTES = 16
MAX_EFFORT = 63
_WAYS = 4
_BUCKET = 2 * _WAYS

_HALF = np.uint64(0xFFFFFFFF)
_FACTORS = (np.uint64(0x9E3779B1), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D))


def new_table(entries: int) -> np.ndarray:
    """Return an empty table, uint64, for `entries` entries of 16 bytes, up to a power of two."""
    size = 2 * _WAYS
    while size < 2 * entries:
        size *= 2
    # Buckets begin at multiples of a cache line.
    room = np.zeros(size + _BUCKET, dtype=np.uint64)
    start = (-room.ctypes.data // 8) % _BUCKET
    return room[start : start + size]


@compiled
def mixed(code):  # type: ignore[no-untyped-def]
    """Return a one-to-one hash of a uint64: three rounds of a Feistel network on its halves."""
    high, low = code >> np.uint64(32), code & _HALF
    high ^= (low * _FACTORS[0]) >> np.uint64(32)
    low ^= (high * _FACTORS[1]) >> np.uint64(32)
    high ^= (low * _FACTORS[2]) >> np.uint64(32)
    return high << np.uint64(32) | low


@compiled
def look_up(table, key):  # type: ignore[no-untyped-def]
    """Return what is known of the position with `key`, packed (int64)."""
    first = np.int64(key & np.uint64(len(table) // _BUCKET - 1)) * _BUCKET
    for slot in range(first, first + _BUCKET, 2):
        if table[slot] == key and table[slot + 1] != np.uint64(0):
            return np.int64(table[slot + 1])
    return np.int64(UNKNOWN)


@compiled
def store(table, key, least, greatest, nodes, action):  # type: ignore[no-untyped-def]
    """Add what a search has proved to what is known; the cheapest entry of a bucket gives way."""
    first = np.int64(key & np.uint64(len(table) // _BUCKET - 1)) * _BUCKET
    effort = _effort(nodes)
    place: Any = first
    cheapest: Any = MAX_EFFORT + 1
    for slot in range(first, first + _BUCKET, 2):
        known = np.int64(table[slot + 1])
        if known != 0 and table[slot] == key:
            if known & 3 > least or action < 0:
                action = (known >> 10) - 1
            least, greatest = max(least, known & 3), min(greatest, known >> 2 & 3)
            effort = max(effort, known >> 4 & MAX_EFFORT)
            place = slot
            break
        if known >> 4 & MAX_EFFORT < cheapest:
            place = slot
            cheapest = known >> 4 & MAX_EFFORT
    table[place] = key
    table[place + 1] = np.uint64(least | greatest << 2 | effort << 4 | (action + 1) << 10)


@compiled
def _effort(nodes):  # type: ignore[no-untyped-def]
    """Return the bit length of a number of nodes, at most MAX_EFFORT."""
    effort = 1
    while nodes > 1 and effort < MAX_EFFORT:
        nodes >>= 1
        effort += 1
    return effort


def new_stack(game: Game, depth: int) -> Any:
    """Return room for `depth` states of `game`."""
    first, second = new_state(game), new_state(game)
    fields = (_stacked(*each, depth) for each in zip(first, second, strict=True))
    return type(first)(*fields)


def _stacked(one: Any, other: Any, depth: int) -> Any:
    if isinstance(one, tuple):
        return one
    return one[np.newaxis] if one is other else np.stack([one] * depth)


def _view(state_type: Any) -> Callable[..., Any]:
    """`at_depth` for one type of state, field by field: Numba has no loop over fields."""
    fields = (
        f"stack.{f}" if f == "unrolled" else f"stack.{f}[min(depth, len(stack.{f}) - 1)]"
        for f in state_type._fields
    )
    names = {"State": state_type}
    source = f"def view(stack, depth):\n    return State({', '.join(fields)})\n"
    exec(source, names)  # noqa: S102
    view: Callable[..., Any] = names["view"]
    return view


at_depth = by_state({state: compiled(_view(state)) for state in STATES})
"""at_depth(stack, depth) -> the state at that depth, sharing the memory of the stack.

With Numba only compiled functions can call it: none returns arrays to Python.
"""
