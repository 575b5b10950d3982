"""A program that compiles one small function. `main` is called from without: Numba finds nothing
in its cache for types that are defined in a program's `__main__`.

Prints whether it compiled, how many functions came from the disk, and what the function gives.
"""

from typing import NamedTuple

import numpy as np

from oddly.engines.kernels import jit
from oddly.engines.kernels.jit import warm


class State(NamedTuple):
    numbers: np.ndarray


@jit.compiled
def total(state):
    result = 0
    for number in state.numbers:
        result += int(number)
    return result


def main(kind):
    state = State(np.arange(1, 4, dtype=kind))
    found = []
    compiled = warm("small", state, lambda: found.append(total(state)))
    hits = sum(total.entry.stats.cache_hits.values()) if jit.HAS_NUMBA else 0
    print(compiled, hits, found or total(state), type(total(state)).__name__)
