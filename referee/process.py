"""An engine's operating system process: started without a shell, bounded, always reaped.

The process leads a session and a group of its own, so that whatever it forks goes with it. Its
pipes are raw non-blocking file descriptors: waiting on them costs half of what a stream does.
"""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import trio

from referee.fault import EngineFault
from referee.outcome import Termination

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 65_536
LONGEST_NAP = 0.02


class EngineProcess:
    """A running engine. `pid` is also the id of its group."""

    def __init__(self, popen: subprocess.Popen[bytes], most_stderr: int) -> None:
        assert popen.stdin is not None  # noqa: S101 - all three are pipes
        assert popen.stdout is not None  # noqa: S101
        assert popen.stderr is not None  # noqa: S101
        self._popen = popen
        self._stdin, self._stdout, self._stderr = popen.stdin, popen.stdout, popen.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._most_stderr = most_stderr
        self.pid = popen.pid
        self.stderr_tail = bytearray()

    @classmethod
    def start(cls, command: Sequence[str], most_stderr: int) -> EngineProcess:
        """Run `command`. Raises EngineFault (no start) if the system refuses it."""
        try:
            popen = subprocess.Popen(
                list(command),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            reason = f"the program {command[0]!r} did not start: {said}"
            raise EngineFault(Termination.NO_START, reason) from None
        return cls(popen, most_stderr)

    async def send(self, data: bytes) -> None:
        """Write all of `data`. Raises BrokenPipeError once the engine has closed its input."""
        fd = self._stdin.fileno()
        while data:
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(fd)

    async def receive(self) -> bytes:
        """Wait for some output; empty at its end."""
        return await _read(self._stdout.fileno())

    async def drain_stderr(self) -> None:
        """Read standard error to its end, keeping the last part only."""
        while data := await _read(self._stderr.fileno()):
            self.stderr_tail += data
            del self.stderr_tail[: -self._most_stderr]

    async def how_it_ended(self, patience: float) -> str:
        """What became of an engine whose output has ended, in words."""
        if not await self._exits_within(patience):
            return "closed its output and went on running"
        self._signal_group(signal.SIGKILL)
        code = self._popen.wait()
        if code >= 0:
            return f"exited with code {code}"
        return f"was killed by {signal.strsignal(-code) or 'a signal'} ({-code})"

    async def stop(self, grace: float) -> None:
        """End the engine and its children, and reap it, within about `grace` seconds.

        Its input is closed (after a `quit`, the caller's business); half the grace later SIGTERM
        follows, and at the end of it SIGKILL to the whole group. Safe to call again.
        """
        if self._stdout.closed:
            return
        self._stdin.close()
        if not await self._exits_within(grace / 2):
            self._signal_group(signal.SIGTERM)
            await self._exits_within(grace / 2)
        self._signal_group(signal.SIGKILL)
        while self._popen.poll() is None:
            await trio.sleep(LONGEST_NAP)
        self._stdout.close()

    def close(self) -> None:
        """Let go of standard error, once nothing drains it any more."""
        self._stderr.close()

    async def _exits_within(self, seconds: float) -> bool:
        """Whether the process ends in time. It is not reaped, so its group's id stays its own."""
        nap = 0.001
        with trio.move_on_after(seconds):
            while not _has_exited(self.pid, self._popen):
                await trio.sleep(nap)
                nap = min(2 * nap, LONGEST_NAP)
            return True
        return False

    def _signal_group(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return


def _has_exited(pid: int, popen: subprocess.Popen[bytes]) -> bool:
    if popen.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return popen.poll() is not None
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


async def _read(fd: int) -> bytes:
    while True:
        await trio.lowlevel.wait_readable(fd)
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return b""
