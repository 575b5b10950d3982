"""Words of 64 bits: counting and finding the ones."""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import HAS_NUMBA, inlined

U = np.uint64
WORD = 64

if HAS_NUMBA:

    @inlined
    def ones(word):  # type: ignore[no-untyped-def]
        """Return how many bits are 1; LLVM turns this into one instruction."""
        word -= (word >> U(1)) & U(0x5555555555555555)
        word = (word & U(0x3333333333333333)) + ((word >> U(2)) & U(0x3333333333333333))
        word = (word + (word >> U(4))) & U(0x0F0F0F0F0F0F0F0F)
        return (word * U(0x0101010101010101)) >> U(56)

else:

    def ones(word):  # type: ignore[no-untyped-def]
        """Return how many bits are 1."""
        return U(int(word).bit_count())


@inlined
def first_one(word):  # type: ignore[no-untyped-def]
    """Return the place of the lowest bit that is 1."""
    return ones(~word & (word - U(1)))
