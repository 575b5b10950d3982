"""The limits of the machine, as opposed to faults of engines."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

FAILURES = frozenset(
    (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT)
)
"""System errors that say something of the machine and nothing of an engine."""

DESCRIPTORS_OF_A_GAME = 10
"""Per engine three pipes, its start and its exit."""
OWN_MEMORY = Path("/sys/fs/cgroup/memory.max")
"""The limit of a container's memory: a number, or `max`."""
DESCRIPTORS_TO_START = 6
"""Spare ones, with which one engine at a time is started and `/proc` is read."""


@cache
def machine_memory() -> int:
    """Return the bytes of memory that this machine has, or its container."""
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):
        most = min(most, int(OWN_MEMORY.read_text(encoding="ascii")))
    return most


@cache
def raise_descriptor_limit() -> int:
    """Raise this process's limit of descriptors as far as the system allows.

    Returns how many it had before, which is what engines get: `select` fails beyond 1,024.
    """
    if sys.platform == "win32":
        return 0
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS refuses its own "unlimited".
    with suppress(OSError, ValueError):
        if soft != hard:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return soft


def games_that_fit() -> int | None:
    """Return how many games at once the descriptors allow; None for any number."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - _used() - DESCRIPTORS_TO_START) // DESCRIPTORS_OF_A_GAME


def _used() -> int:
    """Return how many descriptors are open."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir()) - 1
    return 16
