"""Numbers in the kernels: bits, random numbers, the worth of a lead, and an atomic exchange.

Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), triple (13, 7, 17). A kernel
keeps the state in a local variable, which a processor holds in a register.
"""

from __future__ import annotations

import math
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np

from oddly.engines.kernels.jit import HAS_NUMBA, compiled, inlined

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


@inlined
def chance(lead, worth):  # type: ignore[no-untyped-def]
    """Return the chance of winning if each unit of `lead` counts for `worth` log-odds."""
    return 1.0 / (1.0 + math.exp(-worth * lead))


MASK = (1 << 64) - 1


def generator(seed: int) -> np.ndarray:
    """Return a generator's state, shape (1,), uint64: a hash, since near seeds give near numbers.

    The hash is splitmix64's finaliser (Steele, Lea, Flood 2014). A seed that is negative or
    longer than 64 bits is first hashed to 64 bits.
    """
    if not 0 <= seed <= MASK:
        seed = int.from_bytes(sha256(f"{seed:x}".encode()).digest()[:8])
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


if HAS_NUMBA:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def exchange_if(
        context: Any, array: Any, place: Any, expected: Any, wanted: Any
    ) -> tuple[Any, Any]:
        """Write `wanted` to a place of a 1-d array if `expected` is there; return whether it was.

        A thread that sees this write also sees all earlier ones.
        """
        del context, expected, wanted
        signature = types.boolean(array, types.intp, array.dtype, array.dtype)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            view = context.make_array(array_type)(context, builder, arguments[0])
            pointer = cgutils.get_item_pointer(
                context, builder, array_type, view, [arguments[1]], wraparound=False
            )
            order = "seq_cst"
            result = builder.cmpxchg(pointer, arguments[2], arguments[3], order, order)
            return builder.extract_value(result, 1)

        return signature, generate

else:
    _lock = Lock()

    def exchange_if(array: Any, place: Any, expected: Any, wanted: Any) -> Any:
        """Write `wanted` to a place of an array if `expected` is there; return whether it was."""
        with _lock:
            if array[place] != expected:
                return False
            array[place] = wanted
            return True
