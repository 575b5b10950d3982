"""Processes that an engine left behind, found by two marks that its children inherit.

One mark is the variable ODDLY_ENGINE in the environment. The other, on Linux, is the limit of file
locks: the kernel has ignored it since 2.4.25, passes it to every child, shows it in /proc even for
processes that we may not inspect, and lets only root raise it. So a child that leaves its session
and clears its environment is still found. One that lowers the limit is found too: the referee is a
subreaper, which becomes the parent of orphans, and nobody starts another child with such a limit
while an engine runs. Off Linux no orphan can be found, and only an engine's group can be ended.

A program that plays games has children of its own, whose exit status belongs to it. A child of ours
that leads a session without a mark is one of them.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from contextlib import suppress
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oddly.referee.program.launcher import RLIMIT_LOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLE = "ODDLY_ENGINE"
PROC = Path("/proc")
RUN_BITS, ENGINE_BITS = 40, 22
"""A mark is below 2**63 - 1, which the kernel takes for no limit."""
WALLS = (1 << ENGINE_BITS) - 1
"""In a mark, the number of what isolates an engine: no engine's, and none is higher."""
PR_SET_CHILD_SUBREAPER = 36
MAX_PASSES = 20
"""Looks for more of an engine's processes while it is being stopped."""
MAX_KILLS, QUIET_KILLS = 100, 2
"""Looks for the processes of all our engines, and how many in a row must find none."""
MAX_SHORT_FILE = 8192
_LIMIT = b"Max file locks"

_engines: dict[int, int] = {}
"""When our own children started: the engines that have not been reaped, by their process ids."""
_gone: set[int] = set()
"""The sessions of engines that have been reaped: what is left of one may become ours late."""


class Mark(NamedTuple):
    """What identifies an engine's processes: the run it belongs to, and its number."""

    run: int
    engine: int

    @property
    def limit(self) -> int:
        """The limit of file locks of the engine's processes."""
        return self.run << ENGINE_BITS | self.engine

    def __str__(self) -> str:
        return f"{self.run:x}.{self.engine:x}"


@cache
def our_run() -> int:
    """Return the number of this run of ours, which no other run has."""
    return secrets.randbits(RUN_BITS) | 1 << RUN_BITS - 1


_numbers = count(1)


def new_mark() -> Mark:
    """Return a mark for one more engine."""
    return Mark(our_run(), next(_numbers) % WALLS)


def mark_walls(pid: int) -> None:
    """Mark the process that isolates an engine of ours as our run's (Linux).

    The engine's own mark would have it suspended with the engine.
    """
    if sys.platform == "linux":
        import resource

        limit = Mark(our_run(), WALLS).limit
        # We may run under a limit ourselves.
        with suppress(OSError, ValueError):
            resource.prlimit(pid, RLIMIT_LOCKS, (limit, limit))


@cache
def adopt_orphans() -> None:
    """Let orphans become children of this process (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def know_engine(pid: int) -> None:
    """Note that `pid` is an engine of ours, not an orphan; the number may have been used before."""
    _engines[pid] = _stat(pid)[3]
    _gone.discard(pid)


def forget_engine(pid: int) -> None:
    """Note that `pid` has been reaped: its number may become another process's."""
    _engines.pop(pid, None)
    _gone.add(pid)


def kill_engine(mark: Mark, session: int) -> int:
    """SIGKILL every process of an engine, which leads `session`, and orphans that hide their mark.

    Returns how many were still running.
    """
    variable = f"{VARIABLE}={mark}".encode()
    began = _engines.get(session)
    # Starts are known to a hundredth of a second: within one, the earlier has the lower number.
    engine = None if began is None else (began, session)

    def is_wanted(process: _Process) -> bool:
        return (
            process.limit == mark.limit
            or process.is_adopted_from(session)
            or process.is_adopted_from_the_gone
            or (engine and engine < (process.started, process.pid) and process.is_hiding_orphan)
            or variable in process.environment
        )

    # A process older than ours is not our engine, and most of a machine's processes are older.
    return _kill(is_wanted, _our_start())


def signal_engine(mark: Mark, number: int) -> list[int]:
    """Send a signal to every process of an engine that bears its limit; return their ids.

    These are the engine and its children, not the walls around it.
    """
    found = [
        process.pid
        for process in _processes(_our_start())
        if process.limit == mark.limit and not process.is_zombie
    ]
    for pid in found:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    return found


def freeze_engine(mark: Mark) -> list[int]:
    """Suspend every process of an engine until SIGCONT; return their ids."""
    frozen: set[int] = set()
    for _ in range(MAX_PASSES):
        found = set(signal_engine(mark, signal.SIGSTOP))
        if found <= frozen:
            break
        # A second look finds what one of them forked before it stopped.
        frozen |= found
    return sorted(frozen)


def end_session(session: int) -> None:
    """SIGKILL and reap what is left of a session whose leader has exited."""
    for _ in range(MAX_PASSES):
        if not _kill(lambda process: process.is_adopted_from(session)):
            break
        time.sleep(0.001)
    _kill(lambda process: process.is_adopted_from(session))


def reap_adopted() -> int:
    """Reap the zombies that became ours when the process that started them died.

    Each has left our session, as all engines have. Returns how many orphans of ours are left.
    """
    left = 0
    own = os.getsid(0)
    for process in _processes():
        if process.session != own and (process.is_orphan or process.is_of_another_run):
            with suppress(ChildProcessError):
                left += os.waitpid(process.pid, os.WNOHANG)[0] == 0
    return left


def kill_run(run: int) -> int:
    """SIGKILL every process of all engines of a run; return how many were still running."""
    variable = f"{VARIABLE}={run:x}.".encode()

    def is_wanted(process: _Process) -> bool:
        if process.limit is not None and process.limit >> ENGINE_BITS == run:
            return True
        return any(entry.startswith(variable) for entry in process.environment)

    return _kill(is_wanted)


def kill_our_engines() -> None:
    """SIGKILL every process of our engines before this process ends abruptly."""
    quiet = 0
    for _ in range(MAX_KILLS):
        quiet = 0 if kill_run(our_run()) else quiet + 1
        if quiet == QUIET_KILLS:
            return
        time.sleep(0.001)


def _kill(is_wanted: Callable[[_Process], bool], since: int = 0) -> int:
    running = 0
    for process in _processes(since):
        if not is_wanted(process):
            continue
        if not process.is_zombie:
            running += 1
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        if process.is_adopted:
            # Nobody else would reap it.
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)
    return running


class _Process:
    """The facts of one process in /proc, empty where gone or hidden."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        state, parent, self.session, self.started = _stat(pid)
        self.is_zombie = state == b"Z"
        self.is_adopted = parent == os.getpid() and pid not in _engines

    @cached_property
    def limit(self) -> int | None:
        """Its limit of file locks; None if it has none."""
        return _limit(self.pid)

    def is_adopted_from(self, session: int) -> bool:
        """Return whether it is an orphan of ours from a session that an engine led."""
        return self.is_orphan and self.session == session

    @property
    def is_orphan(self) -> bool:
        """Whether it is a child of ours that leads no session.

        A child that does may be an engine just being started, under a number used before: the
        kernel reuses no session's number while the session has a process.
        """
        return self.is_adopted and self.pid != self.session

    @property
    def is_adopted_from_the_gone(self) -> bool:
        """Whether it is an orphan of ours that outlived the wait for the end of its engine."""
        return self.is_orphan and self.session in _gone

    @property
    def is_of_another_run(self) -> bool:
        """Whether it is a child of ours, of any session, that another run has marked."""
        run = (self.limit or 0) >> ENGINE_BITS
        is_marked = run >> RUN_BITS - 1 == 1 and self.limit != _limit(os.getpid())
        return self.is_adopted and is_marked and run != our_run()

    @property
    def is_hiding_orphan(self) -> bool:
        """Whether it is a child of ours with a limit that none of us gave it."""
        return (
            self.is_adopted
            and self.limit not in (None, _limit(os.getpid()))
            and (self.limit or 0) >> ENGINE_BITS != our_run()
        )

    @property
    def environment(self) -> list[bytes]:
        """The variables it was started with."""
        try:
            return (PROC / str(self.pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            return []


def _processes(since: int = 0) -> Iterator[_Process]:
    """Yield all processes but our own that did not start before a time.

    Raises OSError if the machine has no descriptor to spare.
    """
    if sys.platform != "linux" or not (PROC / "self" / "stat").exists():
        return
    own = os.getpid()
    for name in os.listdir(PROC):  # noqa: PTH208 - a machine may have thousands
        if name.isdigit() and int(name) != own:
            process = _Process(int(name))
            if process.started >= since:
                yield process


def _read(pid: int, name: str) -> bytes:
    """Return a short file of a process. Raises OSError."""
    fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    try:
        return os.read(fd, MAX_SHORT_FILE)
    finally:
        os.close(fd)


def _stat(pid: int) -> tuple[bytes, int, int, int]:
    """Return the state of a process, its parent, its session, and when it started."""
    try:
        fields = _read(pid, "stat").rpartition(b")")[2].split()
        return fields[0], int(fields[1]), int(fields[3]), int(fields[19])
    except (OSError, IndexError, ValueError):
        return b"", 0, 0, 0


@cache
def _our_start() -> int:
    """Return when this process started, in the units of `_stat`."""
    return _stat(os.getpid())[3]


def _begin_anew() -> None:
    """Forget, in a process just forked, what is its parent's, so that it begins a run of its own.

    With the same marks, each of the two would kill the other's engines.
    """
    for once in (our_run, adopt_orphans, _our_start):
        once.cache_clear()
    _engines.clear()
    _gone.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_begin_anew)


def _limit(pid: int) -> int | None:
    """Return a process's limit of file locks; None if it has none."""
    try:
        limits = _read(pid, "limits")
    except OSError:
        return None
    words = limits.partition(_LIMIT)[2].split(maxsplit=2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else None
