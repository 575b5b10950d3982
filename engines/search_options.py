"""The options that the search engines share, and how much memory a tree takes by default."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

from oddly.engines.engine import Option

PART = 4
"""A tree takes a quarter of what is free: both engines of a game fit, with room to spare."""

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
    """Return what a container's limit leaves; a very high number if there is no limit."""
    with suppress(OSError, ValueError):
        limit = int((GROUP / "memory.max").read_text(encoding="ascii"))
        return limit - int((GROUP / "memory.current").read_text(encoding="ascii"))
    return 1 << 62


def _address_space() -> int:
    """Return the limit that a referee or a shell has set; a very high number if there is none."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return 1 << 62 if limit == resource.RLIM_INFINITY else limit


HOPELESS = 0.02
"""The win rate below which an engine resigns, if its option says so."""

SIMULATIONS = Option(
    "simulations", "integer", 0, 0, 10**9,
    summary="simulations a drop or move, regardless of the clock; 0: as many as the clock "
    "allows, or 10000 without a clock (500 in a game without a kernel)",
)  # fmt: skip
THREADS = Option("threads", "integer", 1, 1, 256, summary="number of threads, which share one tree")
MEMORY = Option(
    "memory", "integer", 0, 0, 65_536,
    summary=f"megabytes for the tree; 0: a quarter of the free memory, {LEAST_MEGABYTES} to "
    f"{MAX_MEGABYTES}",
)  # fmt: skip
RESIGN_OPTION = Option(
    "resign", "boolean", False, summary=f"resign when winning less than {HOPELESS:.0%} of games"
)
INFO = Option("info", "boolean", False, summary="report the search on standard error")
PONDER = Option("ponder", "boolean", False, summary="think in the opponent's time")
WAIT, BY_PLAIN_RULES = "wait", "plain"
WHILE_COMPILING = Option(
    "while_compiling", "choice", WAIT, choices=(WAIT, BY_PLAIN_RULES),
    summary="what a search does before the kernels are compiled; plain: answer "
    "within a second by the plain rules, unless `simulations` is set",
)  # fmt: skip
EXPLORATION = Option(
    "exploration", "number", -1, -1, 10, summary="weight of rarely tried actions; -1: tuned value"
)
EXPANSION = Option(
    "expansion", "integer", -1, -1, 1000,
    summary="visits before a position gets a node; -1: the tuned value",
)  # fmt: skip
PLAIN = Option(
    "plain", "boolean", False,
    summary="search by the plain rules: far slower, but nothing is compiled, and nothing solved",
)  # fmt: skip
