"""The values of a layer, all positions with one number of stones, from those of layers above it.

In Odd, from the layer with one stone more, at every threshold at once. A value has bit t - 1 set if
Black wins with groups of t stones or more counting. The number of stones says who is to move.

In Yodd and Xodd, from the two layers with more stones. A value is 1 if Black, to move with no pass
just made, wins. With the colours of all stones and the players exchanged a position is the same, so
the values for White to move are the same numbers. A position at the start of a turn has an odd
number of groups, so one side has fewer: it is ahead. The side behind loses at once by passing. The
side ahead passes to a position in which the other must win by drops, so its pass wins if those do
not (docs/explanation/theorems.md).
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled


@compiled
def solve_yodd_layer(first, last, stones, cells, occupied_sets, ranks, groups, one, two, values):  # type: ignore[no-untyped-def]
    """Write the values of the positions whose occupied sets have the ranks `first` to `last` - 1.

    `one` and `two` are the values of the layers with one and two stones more; `groups` the counts
    of `group_counts`. Positions with an even number of groups get 0.
    """
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            white = occupied ^ black
            number = np.int64(rank) << stones | colours
            values[number] = 0
            if stones == 0 or (groups[black] + groups[white]) & 1:
                values[number] = _wins_by_drops(
                    stones, cells, occupied, black, colours, ranks, groups, one, two
                )
            black = (black - occupied) & occupied
    _add_passes(first, last, stones, occupied_sets, groups, values)


@compiled
def _wins_by_drops(stones, cells, occupied, black, colours, ranks, groups, one, two):  # type: ignore[no-untyped-def]
    """Return 1 if one drop or two of Black's lead to a position that White, to move, loses."""
    white = occupied ^ black
    ones = (np.int64(1) << (stones + 1)) - 1
    twos = (np.int64(1) << (stones + 2)) - 1
    place = 0
    for cell in range(cells):
        bit = np.int64(1) << cell
        if occupied & bit:
            place += 1
            continue
        lower = (np.int64(1) << place) - 1
        spread = (colours & ~lower) << 1 | colours & lower
        number = np.int64(ranks[occupied | bit]) << (stones + 1)
        for colour in range(2):
            black_after, white_after = black | bit * colour, white | bit * (1 - colour)
            after = spread | np.int64(colour) << place
            if (groups[black_after] + groups[white_after]) & 1 and not one[number | (ones ^ after)]:
                return 1
            if stones == 0:
                # Black's first turn is one drop.
                continue
            next_place = place + 1
            for next_cell in range(cell + 1, cells):
                next_bit = np.int64(1) << next_cell
                if occupied & next_bit:
                    next_place += 1
                    continue
                next_lower = (np.int64(1) << next_place) - 1
                next_spread = (after & ~next_lower) << 1 | after & next_lower
                for next_colour in range(2):
                    black_end = black_after | next_bit * next_colour
                    white_end = white_after | next_bit * (1 - next_colour)
                    if (groups[black_end] + groups[white_end]) & 1:
                        end = np.int64(ranks[occupied | bit | next_bit]) << (stones + 2)
                        end |= twos ^ (next_spread | np.int64(next_colour) << next_place)
                        if not two[end]:
                            return 1
    return 0


@compiled
def _add_passes(first, last, stones, occupied_sets, groups, values):  # type: ignore[no-untyped-def]
    if stones == 0:
        return
    exchanged = (np.int64(1) << stones) - 1
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            fewer, more = groups[black], groups[occupied ^ black]
            if (fewer + more) & 1 and fewer < more:
                number = np.int64(rank) << stones
                # Black is behind in the exchanged position, whose value is that of drops alone.
                values[number | colours] |= 1 - values[number | (colours ^ exchanged)]
            black = (black - occupied) & occupied


@compiled
def solve_odd_layer(first, last, stones, cells, occupied_sets, ranks, parities, above, values):  # type: ignore[no-untyped-def]
    """Write the values of the positions whose occupied sets have the ranks `first` to `last` - 1.

    `above` holds the values of the layer with one stone more, `parities` those of `parities`.
    """
    black_moves = stones % 2 == 0
    for rank in range(first, last):
        occupied = occupied_sets[rank]
        black = np.int64(0)
        for colours in range(np.int64(1) << stones):
            number = np.int64(rank) << stones | colours
            if stones == cells:
                values[number] = parities[black] ^ parities[occupied ^ black]
            else:
                values[number] = _best(black_moves, stones, cells, occupied, colours, ranks, above)
            black = (black - occupied) & occupied


@compiled
def _best(black_moves, stones, cells, occupied, colours, ranks, above):  # type: ignore[no-untyped-def]
    """Return the thresholds at which some drop wins for Black, or no drop loses for Black."""
    best = above.dtype.type(0) if black_moves else ~above.dtype.type(0)
    place = 0
    for cell in range(cells):
        bit = np.int64(1) << cell
        if occupied & bit:
            place += 1
            continue
        lower = (np.int64(1) << place) - 1
        spread = (colours & ~lower) << 1 | colours & lower
        number = np.int64(ranks[occupied | bit]) << (stones + 1) | spread
        for colour in range(2):
            after = above[number | np.int64(colour) << place]
            if black_moves:
                best |= after
            else:
                best &= after
    return best
