"""Starts an engine with its pipes and its isolation, after ending what killed runs left behind.

Each run that starts engines locks a file in a directory of the user's. The file is named by the
run's number, with which all its engines are marked. An unlocked file belongs to a run that was
killed, so every process with its mark is killed. The directory is `oddly` in XDG_RUNTIME_DIR, or
`oddly-UID` where temporary files are.
"""

from __future__ import annotations

import atexit
import os
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from oddly.games.untrusted_text import one_line
from oddly.referee.justice.outcome import EngineFault, MachineExhausted, Termination, VoidGame
from oddly.referee.program.channel import ExitWatch
from oddly.referee.program.configuration import (
    DEFAULT_PROCESSES,
    MACHINE_FAILURES,
    MEBIBYTE,
    Resources,
    games_that_fit,
    machine_memory,
    raise_descriptor_limit,
)
from oddly.referee.program.isolation import (
    OWN_DIRECTORY,
    IsolationError,
    is_isolated,
    joining,
    make_group,
    remove_group,
    remove_groups,
    walls,
)
from oddly.referee.program.launcher import UP
from oddly.referee.program.orphans import (
    VARIABLE,
    Mark,
    adopt_orphans,
    forget_engine,
    kill_run,
    know_engine,
    mark_walls,
    new_mark,
    our_run,
    reap_adopted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_PASSES = 100
QUIET_PASSES = 2
NAP = 0.01
MAX_MAKING = 60
"""The seconds after which the file of a run that is beginning is a killed one's."""
MAKING = "new-"

_locked: list[tuple[int, os.stat_result]] = []
"""The file that this run holds locked, open: its descriptor, and what it is."""


@cache
def begin_run() -> None:
    """End what killed runs left behind, and let the next run do the same for this one.

    Without a directory, as on a full disk, this does nothing.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        directory = _directory()
        end_killed_runs(directory)
        # If descriptors are scarce, a game needs them more.
        if (fitting := games_that_fit()) is None or fitting > 1:
            _keep(directory / f"{our_run():x}")


def clean_up() -> None:
    """End what killed runs left behind, and reap what became ours, as far as the machine lets us.

    The system takes a while to end a process that holds others.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        end_killed_runs(_directory())
        for _ in range(MAX_PASSES):
            if not reap_adopted():
                break
            time.sleep(NAP)


def end_killed_runs(directory: Path) -> None:
    """Kill what runs in `directory` left behind if their referees are gone. Raises OSError."""
    for path in directory.iterdir():
        if path.name.startswith(MAKING):
            _remove_unfinished(path)
            continue
        try:
            run = int(path.name, 16)
            file = path.open("rb")
        except (ValueError, OSError):
            continue
        with file:
            if not _lock(file.fileno()):
                continue
            quiet = 0
            for _ in range(MAX_PASSES):
                quiet = 0 if kill_run(run) else quiet + 1
                if quiet == QUIET_PASSES:
                    remove_groups(run)
                    path.unlink(missing_ok=True)
                    break


def _remove_unfinished(path: Path) -> None:
    """Remove the file of a run that was killed while it began."""
    with suppress(OSError), path.open("rb") as file:
        age = time.time() - os.fstat(file.fileno()).st_mtime
        # A younger one may be about to be locked.
        if age > MAX_MAKING and _lock(file.fileno()):
            path.unlink(missing_ok=True)


def _directory() -> Path:
    """Return our directory, made if there is none. Raises OSError if somebody else owns it."""
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        directory = Path(runtime) / "oddly"
    else:
        directory = Path(tempfile.gettempdir()) / f"oddly-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{directory} is not ours alone")
    return directory


def _keep(path: Path) -> None:
    """Hold a locked file at `path` until this process ends. Raises OSError."""
    fd, made = tempfile.mkstemp(prefix=MAKING, dir=path.parent)
    if not _lock(fd):
        return
    _locked.append((fd, os.fstat(fd)))
    # It gets its name only when it is locked.
    Path(made).rename(path)
    owner = os.getpid()

    def forget() -> None:
        if os.getpid() == owner:
            path.unlink(missing_ok=True)

    atexit.register(forget)


def _lock(fd: int) -> bool:
    """Lock a file until it is closed or its owner ends; return whether nobody else holds it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


LAUNCHER = str(Path(__file__).with_name("launcher.py"))

_left: list[subprocess.Popen[bytes]] = []
"""Killed engines that could not be reaped in time; each start and each end tries again."""


class StartedProcess(NamedTuple):
    """A process that is about to become an engine, and our ends of its pipes, not blocking."""

    popen: subprocess.Popen[bytes]
    stdin: int
    stdout: int
    stderr: int
    status: int
    """The pipe of the launcher's report, which `check_start` reads."""
    exit_watch: ExitWatch
    mark: Mark
    is_isolated: bool
    """Whether the process is bubblewrap, and the engine its grandchild."""
    group: Path | None
    """The control group that limits its processes, if it has one."""
    their_stdin: int
    """The engine's own end of its input, for another start; closed already if not isolated."""


def start_process(
    command: Sequence[str], resources: Resources, failed: StartedProcess | None = None
) -> StartedProcess:
    """Start the launcher, which becomes the engine.

    `failed` is an earlier start of the same engine, whose walls did not stand: this one takes over
    its mark, its group and its input, with what was written to it. Raises EngineFault (no start) if
    the system refuses to run it, MachineExhausted if it could run nothing, and VoidGame if the
    engine cannot be isolated as it must be. Call it from the thread that stays: a death signal
    follows the thread that forked.
    """
    begin_run()
    adopt_orphans()
    reap_left()
    mark = new_mark() if failed is None else failed.mark
    # Ours are closed if anything fails, theirs in any case.
    with ExitStack() as theirs, ExitStack() as ours:
        try:
            isolated = is_isolated(resources)
            if failed is None:
                pipes = [_pipe(ours, ours if isolated else theirs, we_read=False)]
                group = make_group(mark, _most_processes(resources)) if isolated else None
                ours.callback(remove_group, group)
            else:
                pipes, group = [(failed.stdin, failed.their_stdin)], failed.group
            pipes += [_pipe(ours, theirs, we_read=True) for _ in range(3)]
            words = [*joining(group), *(walls(resources) if isolated else [])]
            popen = _launch(command, resources, mark, [pipe[1] for pipe in pipes], words)
            if isolated:
                mark_walls(popen.pid)
            ours.callback(_discard, popen)
            exit_watch = ExitWatch(popen)
        except IsolationError as error:
            raise VoidGame(str(error)) from None
        except OSError as error:
            is_directory = error.filename is not None and error.filename == resources.directory
            _refuse(command[0], error.errno, str(error), error.filename if is_directory else None)
        except ValueError as error:
            _refuse(command[0], None, str(error))
        ours.pop_all()
    know_engine(popen.pid)
    stdin, stdout, stderr, status = (pipe[0] for pipe in pipes)
    return StartedProcess(
        *(popen, stdin, stdout, stderr, status, exit_watch, mark, isolated, group, pipes[0][1])
    )


def check_start(program: str, report: bytes, stderr: bytes) -> None:
    """Judge what a launcher wrote to its status pipe before its output ended.

    `stderr` says why there is no report. Raises EngineFault if the program could not be executed,
    and MachineExhausted if nothing could.
    """
    if not report:
        said = stderr.strip().splitlines()
        why = one_line(said[-1]) if said else "its launcher was killed"
        raise MachineExhausted(_did_not_start(program, why))
    if report != UP:
        _refuse(program, int(report.removeprefix(UP)), "")


def leave(popen: subprocess.Popen[bytes]) -> None:
    """Reap a process that has ended or was killed; if it cannot be reaped yet, later."""
    _left.append(popen)
    reap_left()


def reap_left() -> None:
    """Reap those processes left behind that the system has released."""
    for popen in [popen for popen in _left if popen.poll() is not None]:
        # Another thread may have been faster.
        with suppress(ValueError):
            _left.remove(popen)
            forget_engine(popen.pid)


def _begin_anew() -> None:
    """Let go, in a process just forked, of its parent's run and engines."""
    begin_run.cache_clear()
    _left.clear()
    # The lock is on both, and the next run must find it free once the parent is killed.
    while _locked:
        fd, file = _locked.pop()
        with suppress(OSError):
            # A program may have closed it, and reused the number.
            if os.path.samestat(os.fstat(fd), file):
                os.close(fd)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_begin_anew)


def _pipe(ours: ExitStack, theirs: ExitStack, *, we_read: bool) -> tuple[int, int]:
    """Return our end of a new pipe, which does not block, and theirs. Raises OSError."""
    read, write = os.pipe()
    our_end, their_end = (read, write) if we_read else (write, read)
    ours.callback(os.close, our_end)
    theirs.callback(os.close, their_end)
    os.set_blocking(our_end, False)
    return our_end, their_end


def _launch(
    command: Sequence[str],
    resources: Resources,
    mark: Mark,
    pipes: Sequence[int],
    before: Sequence[str],
) -> subprocess.Popen[bytes]:
    """Start the launcher, behind the words of its walls, if any. Raises OSError or ValueError."""
    isolated = bool(before)
    stdin, stdout, stderr, status = pipes
    environment = {**os.environ, **resources.environment, VARIABLE: str(mark)}
    if isolated:
        environment["TMPDIR"] = OWN_DIRECTORY
    numbers = (
        *(stdin, stdout, status),
        # When isolated, the parent has no number, and bubblewrap watches for our death.
        0 if isolated else os.getpid(),
        mark.limit,
        raise_descriptor_limit(),
        _most_processes(resources) if isolated else 0,
        (resources.memory or 0) * MEBIBYTE,
        machine_memory() // 2 if isolated and resources.memory is None else 0,
        resources.cpu_seconds,
        resources.nice,
    )
    launcher = [sys.executable, "-I", "-S", LAUNCHER, *map(str, numbers)]
    # The launcher alone gets the output: bubblewrap itself would hold it open.
    return subprocess.Popen(
        [*before, *launcher, *command],
        stdin=stdin,
        stdout=stderr,
        stderr=stderr,
        start_new_session=True,
        pass_fds=(stdin, stdout, status),
        cwd=resources.directory,
        env=environment,
    )


def _most_processes(resources: Resources) -> int:
    """Return how many processes an isolated engine may have."""
    return DEFAULT_PROCESSES if resources.processes is None else resources.processes


def _discard(popen: subprocess.Popen[bytes]) -> None:
    """End a process that could not become an engine."""
    popen.kill()
    leave(popen)


def _refuse(program: str, number: int | None, said: str, directory: str | None = None) -> NoReturn:
    """Raise the error for a program that did not start: its engine's fault or the machine's.

    `directory` is its working directory if that was the reason.
    """
    why = _did_not_start(program, said if number is None else os.strerror(number), directory)
    if number in MACHINE_FAILURES:
        raise MachineExhausted(why) from None
    raise EngineFault(Termination.NO_START, why) from None


def _did_not_start(program: str, said: str, directory: str | None = None) -> str:
    where = "" if directory is None else f" in {directory!r}"
    return f"the program {program!r} did not start{where}: {said}"
