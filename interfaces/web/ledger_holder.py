"""Whether a run holds a ledger, told from its lock file and from what Linux says of processes.

Nobody tries the lock itself: a run that starts at that moment would find it taken.
"""

from __future__ import annotations

import math
import os
import re
import time
from pathlib import Path

from oddly.safe_files.sqlite_file import lock_path

LOCKS = Path("/proc/locks")
"""Where Linux names the processes that hold locks, and the files."""
PROCESSES = Path("/proc")
SKEW = 10
"""Seconds by which the clock of a network file system may be slow."""


def is_held(path: Path) -> bool:
    """Return whether the process that the lock file names holds the ledger at `path`."""
    try:
        number = int(lock_path(path).read_text(encoding="ascii"))
        file = lock_path(path).stat()
    except (OSError, ValueError):
        return False
    if not _is_alive(number):
        return False
    held = rf" {number} [0-9a-f]+:[0-9a-f]+:{file.st_ino} "
    try:
        is_listed = re.search(held, LOCKS.read_text(encoding="ascii")) is not None
    except OSError:
        is_listed = False
    # Elsewhere, and on a file system without locks, a process that began later is another one.
    return is_listed or _beginning(number) <= file.st_mtime + SKEW


def _is_alive(number: int) -> bool:
    if number <= 0:
        return False
    try:
        os.kill(number, 0)
    except PermissionError:
        # It is another user's.
        return True
    except (OSError, OverflowError):
        return False
    return True


def _beginning(number: int) -> float:
    """Return when a process began, in seconds since 1970; 0 where nobody says so.

    For a zombie it is infinity: that has ended, and is no run.
    """
    try:
        said = (PROCESSES / str(number) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    state, *numbers = said.rpartition(")")[2].split()
    if state == "Z":
        return math.inf
    boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return boot + int(numbers[18]) / os.sysconf("SC_CLK_TCK")
