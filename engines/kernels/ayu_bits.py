"""Sets of points as bits in words, and how they grow by a step.

A set is W words of 64 bits; point i, an index of the board, is bit i % 64 of word i // 64. The
rows follow each other without a gap, so that a step up or down is a shift by the board's size,
and a step left or right is one by 1 that must not run over the edge.

Indices are unsigned on purpose, here and in the other files of Ayu: with signed ones Numba tests
each for being negative.
"""

from __future__ import annotations

from oddly.engines.kernels.bits import WORD, U
from oddly.engines.kernels.jit import inlined

BLOCK, LANES = 8, 64
"""Words and bytes that loops take at a time, so that they become one vector instruction each.

Of a loop over a constant number of bytes LLVM makes a vector only if it is too long to unroll.
"""


@inlined
def steps(before, now, after, size, left_edge, right_edge):  # type: ignore[no-untyped-def]
    """Return the points a step to the right, left, up and down of those in the word `now`.

    `before` and `after` are the words beside it; `left_edge` and `right_edge` the points of this
    word in the first and last column.
    """
    back = U(WORD) - size
    return (
        ((now << U(1)) | (before >> U(63))) & ~left_edge,
        ((now >> U(1)) | (after << U(63))) & ~right_edge,
        (now << size) | (before >> back),
        (now >> size) | (after << back),
    )
