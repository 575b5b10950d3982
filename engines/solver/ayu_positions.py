"""All positions that a small game of Ayu can come to, and their values, found backwards.

A position is a number, its key: the pieces of the player to move in the lower bits, one for each
cell, and the other's above them. The rules know no direction, so a key stands for the positions
that the symmetries of the square make of it: it is the least of theirs. The start of a game is the
same for both players but for such a symmetry, so that whose turn it is need not be known.

A value is that of play without a past. It is found by going through all positions again and again,
those that come late in a game first: the player to move wins who cannot move, or can move to a
position that the other loses; who can only move to positions that the other wins has lost; and what
is open when nothing changes any more is a draw, since play can go round for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.database.numbering import group_at
from oddly.engines.kernels.jit import HAS_NUMBA

if TYPE_CHECKING:
    from collections.abc import Callable

OPEN, WON, LOST = 0, 1, 2
MAX_MOVES = 512
"""The most moves of a position of 25 cells, and more."""


def compiled_here(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code where there is Numba; it is not kept, for it runs once."""
    if not HAS_NUMBA:
        return function
    import numba

    found: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy")(function)
    return found


@compiled_here
def neighbours_of(cells_set, neighbours):  # type: ignore[no-untyped-def]
    """Return the cells beside those of a set."""
    near, cell = np.int64(0), 0
    while cells_set:
        if cells_set & 1:
            near |= neighbours[cell]
        cells_set >>= 1
        cell += 1
    return near


@compiled_here
def distance_of(unit, own, empty, neighbours):  # type: ignore[no-untyped-def]
    """Return the empty points from a unit to its closest friend; -1 if there is no path."""
    friends = own & ~unit
    reached = unit
    steps = 0
    while friends:
        near = neighbours_of(reached, neighbours)
        if near & friends:
            return steps
        more = near & empty & ~reached
        if not more:
            break
        reached |= more
        steps += 1
    return -1


@compiled_here
def find_moves(own, other, neighbours, found):  # type: ignore[no-untyped-def]
    """Write the mover's pieces after each of its moves to `found`; return how many there are."""
    full = (np.int64(1) << len(neighbours)) - 1
    empty = full & ~(own | other)
    number = 0
    units = own
    while units:
        unit = group_at(own, units & -units, neighbours)
        units &= ~unit
        distance = distance_of(unit, own, empty, neighbours)
        origins = unit if distance > 0 else np.int64(0)
        while origins:
            origin = origins & -origins
            origins &= origins - 1
            rest = unit & ~origin
            targets = neighbours_of(rest or unit, neighbours) & empty
            while targets:
                target = targets & -targets
                targets &= targets - 1
                after = (own & ~origin) | target
                moved = group_at(after, target, neighbours)
                if rest & ~moved:
                    continue
                is_joined = moved & ~(rest | target) != 0
                left = distance_of(moved, after, (empty & ~target) | origin, neighbours)
                if is_joined or 0 <= left < distance:
                    found[number] = after
                    number += 1
    return number


@compiled_here
def canonical(own, other, maps):  # type: ignore[no-untyped-def]
    """Return the key of a position. `maps` has a row for each symmetry: where each cell goes."""
    cells = maps.shape[1]
    least = np.int64(-1)
    for row in range(len(maps)):
        key = np.int64(0)
        for cell in range(cells):
            to = maps[row, cell]
            key |= (own >> cell & 1) << to | (other >> cell & 1) << (to + cells)
        if least < 0 or key < least:
            least = key
    return least


@compiled_here
def slot_of(key, table):  # type: ignore[no-untyped-def]
    """Return where a key is in a hash table of a power of two, or the free place for it."""
    mask = len(table) - 1
    slot = (key * np.int64(0x9E3779B97F4A7C1)) >> 17 & mask
    while table[slot] and table[slot] != key:
        slot = slot + 1 & mask
    return slot


@compiled_here
def find_positions(first, neighbours, maps, table, order, done, number, moves, limit):  # type: ignore[no-untyped-def]
    """Go on with a breadth-first search; return the positions done and those known.

    `order` holds the slots of the positions in the order of their discovery. At most `limit`
    positions are looked at; there is none left when both numbers are equal. Where the table or
    `order` is too small, the number known is -1.
    """
    if number == 0:
        slot = slot_of(first, table)
        table[slot], order[0] = first, slot
        number = 1
    cells = len(neighbours)
    full = (np.int64(1) << cells) - 1
    last = min(done + limit, number)
    while done < last:
        key = table[order[done]]
        own, other = key & full, key >> cells
        done += 1
        for place in range(find_moves(own, other, neighbours, moves)):
            after = canonical(other, moves[place], maps)
            slot = slot_of(after, table)
            if not table[slot]:
                if number == len(order):
                    return done, -1
                table[slot], order[number] = after, slot
                number += 1
    return done, number


@compiled_here
def sweep(neighbours, maps, table, order, number, values, moves):  # type: ignore[no-untyped-def]
    """Find what values follow from those known, the late positions first; return how many did."""
    cells = len(neighbours)
    full = (np.int64(1) << cells) - 1
    changed = 0
    for place in range(number - 1, -1, -1):
        slot = order[place]
        if values[slot] != OPEN:
            continue
        key = table[slot]
        own, other = key & full, key >> cells
        count = find_moves(own, other, neighbours, moves)
        value = LOST
        if count == 0:
            value = WON
        for move in range(count):
            after = values[slot_of(canonical(other, moves[move], maps), table)]
            if after == LOST:
                value = WON
                break
            if after == OPEN:
                value = OPEN
        if value != OPEN:
            values[slot] = value
            changed += 1
    return changed
