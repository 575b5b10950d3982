"""How many threads requests may take, so that one address leaves some for the others."""

from __future__ import annotations

from functools import cache
from weakref import WeakValueDictionary

import trio

MAX_THREADS = 2
"""Practice boards at work at once, one per address; the clocks of games must keep running."""


@cache
def practice_threads() -> trio.CapacityLimiter:
    """Return the limit of threads for practice boards and positions of games."""
    return trio.CapacityLimiter(MAX_THREADS)


@cache
def file_threads() -> trio.CapacityLimiter:
    """Return the limit of threads that read files."""
    return trio.CapacityLimiter(1)


_threads: WeakValueDictionary[str, trio.CapacityLimiter] = WeakValueDictionary()


def threads_of(address: str) -> trio.CapacityLimiter:
    """Return the limit of threads for one address, taken before the limit for everybody."""
    return _threads.setdefault(address, trio.CapacityLimiter(1))
