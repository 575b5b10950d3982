"""The values of a layer of Odd at every threshold at once, from those of the layer above it.

A value has bit t - 1 set if Black wins with groups of t stones or more counting. The number of
stones says who is to move.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled


@compiled
def solve_layer(first, last, stones, cells, occupied_sets, ranks, parities, above, values):  # type: ignore[no-untyped-def]
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
