"""A guard that wakes the referee when something, perhaps an engine, has stopped it.

It is a process of its own: `guard.py PROCESS`, which ends with its standard input. It belongs to
the same job of the shell, so Ctrl-Z stops it too, and `fg` continues both. Off Linux there is none.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 3
"""Looks, one a second, after which a stopped process is woken."""
STOPPED = b"T"


@contextmanager
def guarded() -> Iterator[None]:
    """Run a guard for this process during the block, if one can be started."""
    guard: subprocess.Popen[bytes] | None = None
    if sys.platform == "linux":
        words = [sys.executable, "-I", "-S", __file__, str(os.getpid())]
        with suppress(OSError):
            guard = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
    try:
        yield
    finally:
        if guard is not None and guard.stdin is not None:
            guard.stdin.close()
            guard.kill()
            guard.wait()


def watch(process: int) -> None:
    """Wake a process whenever it has been stopped for a while, until standard input ends."""
    stopped = 0
    while not select.select([0], [], [], 1.0)[0]:
        stopped = stopped + 1 if _state(process) == STOPPED else 0
        if stopped >= PATIENCE:
            os.kill(process, signal.SIGCONT)
            stopped = 0


def _state(process: int) -> bytes:
    """Return the state of a process as the kernel writes it; empty if it is gone."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 - pathlib loads slowly
            return file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return b""


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    watch(int(sys.argv[1]))
