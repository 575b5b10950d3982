"""Starting an engine: its pipes, its launcher, its isolation, and the fault if that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from oddly.referee.control_group import joining, make_group, remove_group
from oddly.referee.exit_watch import ExitWatch
from oddly.referee.fault import EngineFault, MachineExhausted, VoidGame
from oddly.referee.isolation import OWN_DIRECTORY, IsolationError, is_isolated, walls
from oddly.referee.launcher import UP
from oddly.referee.left_behind import begin_run
from oddly.referee.machine import FAILURES, machine_memory, raise_descriptor_limit
from oddly.referee.orphans import (
    VARIABLE,
    Mark,
    adopt_orphans,
    forget_engine,
    know_engine,
    new_mark,
)
from oddly.referee.outcome import Termination
from oddly.referee.resources import DEFAULT_PROCESSES, MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee.resources import Resources

LAUNCHER = str(Path(__file__).with_name("launcher.py"))

_left: list[subprocess.Popen[bytes]] = []
"""Killed engines that could not be reaped in time; each start tries again."""


class StartedProcess(NamedTuple):
    """A process that is about to become an engine, and our ends of its pipes, not blocking."""

    popen: subprocess.Popen[bytes]
    stdin: int
    stdout: int
    stderr: int
    status: int
    """What the launcher has to say, as `check_start` reads it."""
    exit_watch: ExitWatch
    mark: Mark
    is_isolated: bool
    """Whether the process is bubblewrap, and the engine a grandchild of it."""
    group: Path | None
    """The control group that limits its processes, if it has one."""


def start_process(command: Sequence[str], resources: Resources) -> StartedProcess:
    """Start the launcher, which becomes the engine.

    Raises EngineFault (no start) if the system refuses to run it, MachineExhausted if it could run
    nothing, and VoidGame if the engine cannot be isolated as it must be. Call it from the thread
    that stays: a death signal follows the thread that forked.
    """
    begin_run()
    adopt_orphans()
    reap_left()
    mark = new_mark()
    # Ours are closed if anything fails, theirs in any case.
    with ExitStack() as theirs, ExitStack() as ours:
        try:
            isolated = is_isolated(resources)
            pipes = [_pipe(ours, theirs, we_read=we_read) for we_read in (False, True, True, True)]
            group = make_group(mark, _most_processes(resources)) if isolated else None
            ours.callback(remove_group, group)
            words = [*joining(group), *(walls(resources) if isolated else [])]
            popen = _launch(command, resources, mark, [pipe[1] for pipe in pipes], words)
            ours.callback(_discard, popen)
            exit_watch = ExitWatch(popen)
        except IsolationError as error:
            raise VoidGame(str(error)) from None
        except OSError as error:
            _refuse(command[0], error.errno, str(error))
        except ValueError as error:
            _refuse(command[0], None, str(error))
        ours.pop_all()
    know_engine(popen.pid)
    stdin, stdout, stderr, status = (pipe[0] for pipe in pipes)
    return StartedProcess(popen, stdin, stdout, stderr, status, exit_watch, mark, isolated, group)


def check_start(program: str, report: bytes) -> None:
    """Judge what a launcher wrote to its status pipe before its output ended.

    Raises EngineFault if the program could not be executed, and MachineExhausted if nothing could.
    """
    if not report:
        raise MachineExhausted(_exhausted(_did_not_start(program, "its launcher was killed")))
    if report != UP:
        _refuse(program, int(report.removeprefix(UP)), "")


def leave(popen: subprocess.Popen[bytes]) -> None:
    """Stop waiting for a killed process; each start tries to reap it."""
    _left.append(popen)


def reap_left() -> None:
    """Reap the processes left behind that the system lets go of by now."""
    for popen in [popen for popen in _left if popen.poll() is not None]:
        _left.remove(popen)
        forget_engine(popen.pid)


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
    reap_left()


def _refuse(program: str, number: int | None, said: str) -> NoReturn:
    """Raise the error for a program that did not start: its engine's fault or the machine's."""
    why = _did_not_start(program, said if number is None else os.strerror(number))
    if number in FAILURES:
        raise MachineExhausted(_exhausted(why)) from None
    raise EngineFault(Termination.NO_START, why) from None


def _exhausted(said: str) -> str:
    return f"the machine is exhausted: {said}"


def _did_not_start(program: str, said: str) -> str:
    return f"the program {program!r} did not start: {said}"
