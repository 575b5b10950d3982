"""How much memory the tree of an engine takes by default."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

PART = 4
"""A quarter of what is free: both engines of a game fit beside each other with room to spare."""

LEAST_MEGABYTES, MAX_MEGABYTES = 64, 1024
MEGABYTE = 1_000_000
MEMORY_FILE = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")


def default_megabytes() -> int:
    """Return a quarter of the memory that this process could still get, from 64 to 1024."""
    free = min(_available_bytes(), _bytes_left_in_group(), _address_space())
    return max(LEAST_MEGABYTES, min(free // PART // MEGABYTE, MAX_MEGABYTES))


def _available_bytes() -> int:
    """Return what the machine can give without swapping; half of its memory if it does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in MEMORY_FILE.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return MAX_MEGABYTES * MEGABYTE


def _bytes_left_in_group() -> int:
    """Return what a container's limit leaves; a very high number where there is none."""
    with suppress(OSError, ValueError):
        most = int((GROUP / "memory.max").read_text(encoding="ascii"))
        return most - int((GROUP / "memory.current").read_text(encoding="ascii"))
    return 1 << 62


def _address_space() -> int:
    """Return the limit that a referee or a shell has set; a very high number if none."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return 1 << 62 if limit == resource.RLIM_INFINITY else limit
