"""Processes that an engine left behind outside its group, found by a mark in their environment.

Every engine is started with ODDLY_ENGINE set to a token of its own, which its children inherit,
wherever they hide. On Linux /proc shows it; elsewhere only the engine's group can be ended. A child
that leaves the group and wipes its environment is not found.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

MARK = "ODDLY_ENGINE"
PROC = Path("/proc")


def kill_orphans(token: str) -> int:
    """SIGKILL every process that carries `token`; how many there were."""
    wanted = f"{MARK}={token}".encode()
    found = [pid for pid in _processes() if wanted in _environment(pid)]
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return len(found)


def _processes() -> list[int]:
    if not (PROC / "self" / "environ").exists():
        return []
    own = os.getpid()
    return [int(p.name) for p in PROC.iterdir() if p.name.isdigit() and int(p.name) != own]


def _environment(pid: int) -> list[bytes]:
    try:
        return (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
