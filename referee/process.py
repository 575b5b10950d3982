"""An engine's operating system process: started without a shell, bounded, always reaped.

The process leads a session and a group of its own, so that whatever it forks goes with it, and the
kernel kills it if the referee dies (see `launcher.py`). Its pipes are raw non-blocking file
descriptors: waiting on them costs half of what a stream does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING
from uuid import uuid4

import trio

from referee.fault import EngineFault
from referee.orphans import MARK, kill_orphans
from referee.outcome import Termination
from referee.resources import MEBIBYTE, Resources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CHUNK = 65_536
MAX_NAP = 0.02
EXIT_WATCH = 0.1
"""Seconds between two looks at whether the engine has exited while its output goes on."""
QUIET_PASSES = 2
"""Looks in a row that must find no stray: one that forks all the time can slip through one."""
MAX_DYING = 1.0
"""Seconds that killed orphans get to be gone, before they are left to the kernel."""
LAUNCHER = str(Path(__file__).with_name("launcher.py"))


class EngineProcess:
    """A running engine. `pid` is also the id of its group."""

    def __init__(
        self,
        program: str,
        popen: subprocess.Popen[bytes],
        status: int,
        token: str,
        most_stderr: int,
    ) -> None:
        assert popen.stdin is not None  # noqa: S101 - all three are pipes
        assert popen.stdout is not None  # noqa: S101
        assert popen.stderr is not None  # noqa: S101
        self.program = program
        self._popen = popen
        self._stdin, self._stdout, self._stderr = popen.stdin, popen.stdout, popen.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._status = status
        self._token = token
        self._most_stderr = most_stderr
        self._stopped = False
        self._heard_all = trio.Event()
        self.pid = popen.pid
        self.stderr_tail = bytearray()
        self.on_stderr: Callable[[bytes], None] | None = None

    @classmethod
    def start(
        cls, command: Sequence[str], most_stderr: int, resources: Resources | None = None
    ) -> EngineProcess:
        """Run `command`. Raises EngineFault (no start) if the system refuses it.

        Called from the thread that stays: a death signal follows the thread that forked.
        """
        resources = resources or Resources()
        token = uuid4().hex
        status, theirs = os.pipe()
        os.set_blocking(status, False)
        limits = (resources.memory * MEBIBYTE, resources.cpu_seconds, resources.nice)
        launcher = [sys.executable, "-I", "-S", LAUNCHER, str(theirs), str(os.getpid())]
        try:
            popen = subprocess.Popen(
                [*launcher, *map(str, limits), *command],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(theirs,),
                cwd=resources.directory,
                env={**os.environ, **resources.environment, MARK: token},
            )
        except (OSError, ValueError) as error:
            os.close(status)
            said = error.strerror if isinstance(error, OSError) else str(error)
            raise _no_start(command[0], said or "unknown error") from None
        finally:
            os.close(theirs)
        return cls(command[0], popen, status, token, most_stderr)

    def failure_to_start(self) -> EngineFault | None:
        """Why the program was not executed, if that is why the output has ended."""
        try:
            number = os.read(self._status, 16)
        except OSError:
            return None
        return _no_start(self.program, os.strerror(int(number))) if number else None

    async def send(self, data: bytes) -> None:
        """Write all of `data`. Raises BrokenPipeError once the engine has closed its input."""
        fd = self._stdin.fileno()
        while data:
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(fd)

    def close_input(self) -> None:
        """Let the engine see the end of its input. Nothing can be sent after it."""
        self._stdin.close()

    async def receive(self) -> bytes:
        """Wait for some output; empty at its end."""
        return await _read(self._stdout)

    def receive_nowait(self) -> bytes:
        """What output there is, without waiting; empty if there is none."""
        try:
            return os.read(self._stdout.fileno(), CHUNK)
        except OSError:
            return b""

    async def attend(self) -> None:
        """Drain standard error, and end whatever holds the pipes once the engine has exited."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._end_with_the_engine)
            await self._drain_stderr()
            self._heard_all.set()
            nursery.cancel_scope.cancel()

    async def _drain_stderr(self) -> None:
        """Read standard error to its end, keeping the last part only."""
        try:
            while data := await _read(self._stderr):
                self.stderr_tail += data
                del self.stderr_tail[: -self._most_stderr]
                if self.on_stderr is not None:
                    self.on_stderr(data)
        except trio.ClosedResourceError:
            # The engine is gone; a child of it held the other end.
            return

    async def _end_with_the_engine(self) -> None:
        """When the engine has exited, kill what it left: its output would never end otherwise."""
        while not _has_exited(self._popen):
            await trio.sleep(EXIT_WATCH)
        if not self._stopped:
            self._signal_group(signal.SIGKILL)
            kill_orphans(self._token)

    async def how_it_ended(self, patience: float) -> str:
        """What became of an engine whose output has ended, in words; its last ones are heard."""
        if not await self._exits_within(patience):
            return "closed its output and went on running"
        self._signal_group(signal.SIGKILL)
        with trio.move_on_after(patience):
            await self._heard_all.wait()
        code = self._popen.wait()
        if code >= 0:
            return f"exited with code {code}"
        return f"was killed by {signal.strsignal(-code) or 'a signal'} ({-code})"

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        """End the engine and its children, and reap it, within about `grace` seconds.

        It gets `farewell` and the end of its input; half the grace later SIGTERM, and at the end
        of it SIGKILL, together with its group and its orphans. Safe to call again.
        """
        if self._stopped:
            return
        self._stopped = True
        politely_until = trio.current_time() + grace / 2
        if farewell:
            with trio.move_on_after(grace / 4):
                try:
                    await self.send(farewell)
                except OSError:
                    pass
        self._stdin.close()
        if not await self._exits_within(politely_until - trio.current_time()):
            self._signal_group(signal.SIGTERM)
            await self._exits_within(grace / 2)
        self._signal_group(signal.SIGKILL)
        while self._popen.poll() is None:
            await trio.sleep(0.001)
        await self._end_orphans()
        self._stdout.close()
        trio.lowlevel.notify_closing(self._stderr.fileno())
        self._stderr.close()
        os.close(self._status)

    async def _end_orphans(self) -> None:
        """Kill what the engine left behind, and wait until it is gone: a kill takes its time."""
        quiet = 0
        with trio.move_on_after(MAX_DYING):
            while quiet < QUIET_PASSES:
                quiet = 0 if kill_orphans(self._token) else quiet + 1
                await trio.sleep(0.001)

    async def _exits_within(self, seconds: float) -> bool:
        """Whether the process ends in time. It is not reaped, so its group's id stays its own."""
        nap = 0.001
        with trio.move_on_after(max(0.0, seconds)):
            while not _has_exited(self._popen):
                await trio.sleep(nap)
                nap = min(2 * nap, MAX_NAP)
            return True
        return _has_exited(self._popen)

    def _signal_group(self, number: signal.Signals) -> None:
        if self._popen.returncode is not None:
            return
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return


def _no_start(program: str, said: str) -> EngineFault:
    return EngineFault(Termination.NO_START, f"the program {program!r} did not start: {said}")


def _has_exited(popen: subprocess.Popen[bytes]) -> bool:
    if popen.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return popen.poll() is not None
    return os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


async def _read(pipe: IO[bytes]) -> bytes:
    """Wait for some bytes; empty at the end, and once we have closed the pipe ourselves."""
    while not pipe.closed:
        await trio.lowlevel.wait_readable(pipe)
        if pipe.closed:
            # Its number may be another pipe's by now.
            break
        try:
            return os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return b""
    return b""
