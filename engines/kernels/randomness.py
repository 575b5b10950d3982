"""The random numbers of the kernels: xorshift64, its state one number that is never 0.

Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), triple (13, 7, 17). A kernel
keeps the state in a local variable, which a processor holds in a register.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.jit import compiled

MASK = (1 << 64) - 1


def generator(seed: int) -> np.ndarray:
    """Return a generator's state, shape (1,), uint64: a hash, since near seeds give near numbers.

    The hash is splitmix64's finaliser (Steele, Lea, Flood 2014).
    """
    mixed = (seed + 0x9E3779B97F4A7C15) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return np.array([(mixed ^ (mixed >> 31)) or 1], dtype=np.uint64)


@compiled
def advance(number):  # type: ignore[no-untyped-def]
    """Return the state after `number`, a uint64."""
    number ^= number << np.uint64(13)
    number ^= number >> np.uint64(7)
    return number ^ (number << np.uint64(17))


@compiled
def below(number, bound):  # type: ignore[no-untyped-def]
    """Return a number from 0 to `bound` - 1 out of the upper half of a state."""
    return np.int64(((number >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
