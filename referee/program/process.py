"""An engine's operating system process: started without a shell, bounded, always reaped.

The process leads its own session and group, so whatever it forks goes with it, and the kernel kills
it if the referee dies (see `launcher.py`). Its pipes are raw non-blocking file descriptors: waiting
on them costs half as much as on a stream. Every wait for its end is bounded: what cannot be reaped
by then, such as a process that the kernel itself holds, is left behind.
"""

from __future__ import annotations

import math
import os
import signal
from contextlib import suppress
from io import FileIO
from typing import TYPE_CHECKING, TypeVar

import trio

from oddly.referee.justice.outcome import EngineFault, VoidGame
from oddly.referee.program.channel import CHUNK, close_pipe, ending_text, read_pipe
from oddly.referee.program.configuration import Resources
from oddly.referee.program.isolation import has_died_inside, remove_group
from oddly.referee.program.orphans import freeze_engine, kill_engine, signal_engine
from oddly.referee.program.starting import StartedProcess, check_start, leave, start_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVarTuple, Unpack

    Ts = TypeVarTuple("Ts")

T = TypeVar("T")

QUIET_PASSES = 2
"""Looks in a row that must find no orphan: one that keeps forking can slip through one look."""
MAX_DYING = 1.0
"""Seconds for killed processes to go before they are left to the kernel."""
RETRY = 0.05
STARTS = 20
"""How often walls are built for an engine: another program's socket can vanish meanwhile."""
SIGNALLED = 128
"""Added to the number of the signal that killed an isolated engine."""


class EngineProcess:
    """A running engine. `pid` is also the id of its group."""

    def __init__(
        self,
        command: Sequence[str],
        resources: Resources,
        started: StartedProcess,
        most_stderr: int,
    ) -> None:
        self.program = command[0]
        self.stderr_tail = bytearray()
        self.on_stderr: Callable[[bytes], None] | None = None
        self.spares_what_is_left = False
        """Whether what the engine leaves at its exit lives on until `stop`."""
        self._command = command
        self._resources = resources
        self._stdin = FileIO(started.stdin, "wb")
        self._take(started)
        self._is_up = not started.is_isolated
        self._starts_left = STARTS - 1
        self._failure: EngineFault | VoidGame | None = None
        self._start_report = b""
        self._mark = started.mark
        self._is_isolated = started.is_isolated
        self._group = started.group
        self._most_stderr = most_stderr
        self._is_resting = False
        self._frozen: list[int] = []
        self._stopping = trio.Lock()
        self._stopped = False
        self._stderr_ended = trio.Event()

    @classmethod
    def start(
        cls, command: Sequence[str], most_stderr: int, resources: Resources | None = None
    ) -> EngineProcess:
        """Run `command`. Raises what `start_process` raises."""
        resources = resources or Resources()
        return cls(command, resources, start_process(command, resources), most_stderr)

    def _take(self, started: StartedProcess) -> None:
        """Attend to this process from now on."""
        self._started = started
        self.pid = started.popen.pid
        self._popen = started.popen
        self._exit = started.exit_watch
        self._stdout = FileIO(started.stdout, "rb")
        self._stderr = FileIO(started.stderr, "rb")
        self._status = started.status

    def _look_whether_up(self) -> None:
        """Once the walls of an isolated engine stand, leave its input to it alone."""
        if not self._is_up:
            with suppress(OSError):
                self._start_report = os.read(self._status, 16)
            if self._start_report:
                self._start_only_once()

    def _start_only_once(self) -> None:
        """Give up the means to start the engine again."""
        if not self._is_up:
            self._is_up = True
            os.close(self._started.their_stdin)

    def _starts_again(self) -> bool:
        """Return whether a process that has ended gets a successor, since its walls did not stand.

        What was sent to the engine is not lost.
        """
        self._look_whether_up()
        if self._is_up:
            return False
        self._starts_left -= 1
        failed = self._started
        pipes = (self._stdout, self._stderr)
        try:
            if self._starts_left >= 0:
                self._take(start_process(self._command, self._resources, failed))
        except (EngineFault, VoidGame) as failure:
            self._failure = failure
        if self._started is failed:
            # The next one to ask must hear the same.
            self._start_only_once()
            return False
        leave(failed.popen)
        failed.exit_watch.close()
        os.close(failed.status)
        for pipe in pipes:
            close_pipe(pipe)
        self.stderr_tail.clear()
        return True

    def failure_to_start(self) -> EngineFault | None:
        """Return why the program was not executed, if that is why the output has ended.

        Raises MachineExhausted if the machine could run nothing.
        """
        if self._stopped:
            return None
        is_known = True
        try:
            self._start_report += os.read(self._status, 16)
        except OSError:
            is_known = bool(self._start_report)
        try:
            if self._failure is not None:
                raise self._failure
            if is_known:
                check_start(self.program, self._start_report, bytes(self.stderr_tail))
        except EngineFault as fault:
            return fault
        return None

    def send_nowait(self, data: bytes) -> bytes:
        """Write what fits into the pipe; return the rest.

        Raises BrokenPipeError once the engine has closed its input, or is being stopped.
        """
        if self._stdin.closed:
            raise BrokenPipeError
        if self._is_resting:
            self._wake()
        self._look_whether_up()
        return data[self._stdin.write(data) or 0 :]

    async def rest(self) -> None:
        """Suspend all processes of the engine until something is sent to it."""
        self._is_resting = True
        if not self._is_isolated:
            self._signal_group(signal.SIGSTOP)
        self._frozen = await _off_the_loop(freeze_engine, self._mark) or []

    def _wake(self) -> None:
        """Let a resting engine continue."""
        if not self._is_resting:
            return
        self._is_resting = False
        if not self._is_isolated:
            self._signal_group(signal.SIGCONT)
        for pid in self._frozen:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGCONT)

    async def wait_for_room(self) -> None:
        """Wait until something can be written, or the engine has closed its input."""
        while not self._stdin.closed:
            self._look_whether_up()
            # While its input is kept open for another start, nobody sees that the engine closed it.
            with trio.move_on_after(math.inf if self._is_up else RETRY):
                with suppress(trio.ClosedResourceError):
                    await trio.lowlevel.wait_writable(self._stdin.fileno())
                return

    async def send(self, data: bytes) -> None:
        """Write all of `data`. Raises BrokenPipeError as `send_nowait` does."""
        while data := self.send_nowait(data):
            await self.wait_for_room()

    def close_input(self) -> None:
        """Let the engine see the end of its input. Nothing can be sent after it."""
        close_pipe(self._stdin)

    async def receive(self) -> bytes:
        """Wait for some output; empty at its end."""
        while not (data := await read_pipe(pipe := self._stdout)):
            if pipe is self._stdout and not self._starts_again():
                break
        return data

    def receive_nowait(self) -> bytes | None:
        """Return what output there is, without waiting; None if there is none, empty at its end."""
        if self._stdout.closed:
            return b""
        try:
            data = self._stdout.read(CHUNK)
        except OSError:
            data = b""
        return None if data == b"" and self._starts_again() else data

    async def attend(self) -> None:
        """Drain standard error, and end whatever holds the pipes once the engine has exited."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._end_with_the_engine)
            await self._drain_stderr()
            self._stderr_ended.set()

    async def _drain_stderr(self) -> None:
        """Read standard error to its end, keeping the last part only."""
        while True:
            data = await read_pipe(pipe := self._stderr)
            if data:
                self.stderr_tail += data
                del self.stderr_tail[: -self._most_stderr]
                if self.on_stderr is not None:
                    self.on_stderr(data)
            elif pipe is self._stderr and not self._starts_again():
                break

    async def _end_with_the_engine(self) -> None:
        """Await the engine's exit, then kill what it left: its output would never end otherwise."""
        while True:
            await (watch := self._exit).wait()
            if watch is self._exit and not self._starts_again():
                break
        if not self._stopped and not self.spares_what_is_left:
            self._signal_group(signal.SIGKILL)
            await self._look_for_orphans()

    def has_exited(self) -> bool:
        """Return whether the process has exited, even if another one holds its output open."""
        if self._exit.has_exited():
            return not self._starts_again()
        return self._is_isolated and has_died_inside(self.pid)

    async def number_running(self) -> int:
        """Return how many processes of the engine are running, itself included (on Linux)."""
        return len(await _off_the_loop(signal_engine, self._mark, 0) or ())

    async def how_it_ended(self, patience: float) -> str:
        """Return in words how an engine whose output has ended exited.

        Waits for the exit and for the end of standard error, each for `patience` seconds.
        """
        if self._is_isolated and has_died_inside(self.pid):
            # Once its tracer is killed, the walls fall.
            await _off_the_loop(signal_engine, self._mark, signal.SIGKILL)
        if not await self._exit.within(patience):
            return "closed its output and went on running"
        self._signal_group(signal.SIGKILL)
        await self._reap(patience)
        with trio.move_on_after(patience):
            await self._stderr_ended.wait()
        code = self._popen.returncode
        if code is None:
            return "exited, but another process holds on to it"
        if self._is_isolated and code > SIGNALLED:
            # Bubblewrap's own code reports the engine's end as a shell does.
            code = SIGNALLED - code
        return ending_text(code)

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        """End the engine and its children, and reap it, within about `grace` seconds.

        It gets `farewell` and the end of its input, SIGTERM after half the grace, and at its end
        SIGKILL, together with its group and its orphans. A second call waits for the first, or
        completes it if it was cancelled.
        """
        async with self._stopping:
            if self._stopped:
                return
            self._start_only_once()
            await self._ask_to_quit(grace, farewell)
            self._signal_group(signal.SIGKILL)
            await self._reap(MAX_DYING)
            # A process's orphans become ours only when it is gone.
            await self._end_orphans()
            self._close()
            self._stopped = True

    async def _ask_to_quit(self, grace: float, farewell: bytes) -> None:
        """Give the engine the grace to exit by itself."""
        self._wake()
        politely_until = trio.current_time() + grace / 2
        if farewell and not self._stdin.closed:
            with trio.move_on_after(grace / 4), suppress(OSError):
                await self.send(farewell)
        self.close_input()
        if not await self._exit.within(politely_until - trio.current_time()):
            if self._is_isolated:
                # The walls around it would fall at once.
                await _off_the_loop(signal_engine, self._mark, signal.SIGTERM)
            else:
                self._signal_group(signal.SIGTERM)
            await self._exit.within(grace / 2)

    async def _end_orphans(self) -> None:
        """Kill what the engine left behind, and wait until it is gone."""
        quiet = 0
        with trio.move_on_after(MAX_DYING):
            while quiet < QUIET_PASSES:
                quiet = 0 if await self._look_for_orphans() else quiet + 1
                await trio.sleep(0.001)

    async def _look_for_orphans(self) -> int:
        """Kill what is left of an engine; return how many processes there were, at least.

        Returns 1, after a pause, if the machine cannot look now, so that callers try again.
        """
        found = await _off_the_loop(kill_engine, self._mark, self.pid)
        if found is None:
            await trio.sleep(RETRY)
        return 1 if found is None else found

    async def _reap(self, seconds: float) -> None:
        """Reap the process, which has exited or was killed, as soon as the system allows.

        A process that traces it keeps it from us, and must be killed first.
        """
        nap = 0.001
        with trio.move_on_after(seconds):
            while self._popen.poll() is None:
                await self._look_for_orphans()
                await trio.sleep(nap)
                nap = min(2 * nap, 0.1)

    def _close(self) -> None:
        """Release all descriptors; leave the process, if it is not gone yet, for later."""
        leave(self._popen)
        for pipe in (self._stdout, self._stderr):
            close_pipe(pipe)
        self._exit.close()
        os.close(self._status)
        remove_group(self._group)

    def _signal_group(self, number: signal.Signals) -> None:
        if self._popen.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


async def _off_the_loop(look: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T | None:
    """Look at the machine's processes without delaying a game.

    Returns None if the machine can open no file for it.
    """
    try:
        return await trio.to_thread.run_sync(look, *arguments)
    except RuntimeError:
        # No thread is available.
        with suppress(OSError):
            return look(*arguments)
    except OSError:
        pass
    return None
