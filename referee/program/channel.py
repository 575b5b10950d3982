"""The channel to an engine, and the exit of its process.

A channel is the pipes of a process, or memory in a test. On Linux a pidfd says at once when a
process exits, even a child that another process traces and whose zombie `waitpid` does not show.
Elsewhere, and if the kernel refuses one, the child is polled.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence
    from io import FileIO

    from oddly.referee.justice.outcome import EngineFault
    from oddly.referee.program.configuration import Resources


CHUNK = 65_536
"""The most bytes that are received at a time. If fewer come, there are no more yet."""
MAX_NAP = 0.02
_NO_PIDFD = (errno.ENOSYS, errno.EPERM, errno.EINVAL)
_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "waitid") else 0


class Wire(Protocol):
    """An observer of all bytes, such as a log."""

    def __call__(self, direction: str, data: bytes, at: float, /) -> None:
        """Record bytes that passed at the time `at`: to the engine, from it, or its errors.

        `direction` is `>`, `<` or `!`.
        """


class Channel(Protocol):
    """Bytes to and from an engine, and its end."""

    stderr_tail: bytearray
    on_stderr: Callable[[bytes], None] | None

    def send_nowait(self, data: bytes) -> bytes:
        """Write what can be written at once and return the rest.

        Raises OSError once the engine has closed its input.
        """

    async def wait_for_room(self) -> None:
        """Wait until something can be written, or the engine has closed its input."""

    async def send(self, data: bytes) -> None:
        """Write all of `data`. Raises OSError once the engine has closed its input."""

    async def receive(self) -> bytes:
        """Wait for some output and return it; empty at its end. If cancelled, nothing is lost."""

    def receive_nowait(self) -> bytes | None:
        """Return what output there is, without waiting; None if there is none, empty at its end."""

    async def attend(self) -> None:
        """Attend the engine until it is stopped: drain its standard error, notice its exit.

        `stderr_tail` keeps the last part of standard error.
        """

    async def rest(self) -> None:
        """Suspend the engine's processes until something is sent to it."""

    def has_exited(self) -> bool:
        """Return whether the engine has exited, even if another process holds its output open."""

    async def how_it_ended(self, patience: float) -> str:
        """Return in words how an engine whose output has ended exits within `patience` seconds.

        Afterwards `stderr_tail` has its last words on standard error.
        """

    def failure_to_start(self) -> EngineFault | None:
        """Return why the program was not executed, if that ended the output."""

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        """Say farewell, and end the engine and everything it started within about `grace` seconds.

        Safe to call again.
        """


class OpenChannel(Protocol):
    """Opens a channel. Raises EngineFault if the engine cannot start."""

    def __call__(
        self, command: Sequence[str], most_stderr: int, resources: Resources | None = None
    ) -> Channel:
        """Start `command`, keeping the last `most_stderr` bytes of its standard error."""


def close_pipe(pipe: FileIO) -> None:
    """Close a pipe, and wake any task waiting for it: a stranger may hold its other end open."""
    if not pipe.closed:
        trio.lowlevel.notify_closing(pipe.fileno())
        pipe.close()


async def read_pipe(pipe: FileIO) -> bytes:
    """Wait for some bytes; empty at the end, and once we have closed the pipe ourselves."""
    while not pipe.closed:
        with suppress(trio.ClosedResourceError):
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


class ExitWatch:
    """Watches one child. Raises OSError if the machine has no descriptor for it."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self._pidfd = _open_pidfd(child.pid)
        self._waiting = trio.Lock()
        self._closed = False

    def has_exited(self) -> bool:
        """Return whether the child has exited, reaped or not."""
        if self._child.returncode is not None:
            return True
        if self._pidfd is not None:
            poll = select.poll()
            poll.register(self._pidfd, select.POLLIN)
            return bool(poll.poll(0))
        if not hasattr(os, "waitid"):
            return self._child.poll() is not None
        try:
            return os.waitid(os.P_PID, self._child.pid, _LOOK) is not None
        except ChildProcessError:
            return True

    async def within(self, seconds: float) -> bool:
        """Return whether the child exits within these seconds."""
        with trio.move_on_after(max(0.0, seconds)):
            await self.wait()
        return self.has_exited()

    async def wait(self) -> None:
        """Wait until the child has exited, or until the watch is closed."""
        # Only one task at a time may wait for a descriptor.
        async with self._waiting:
            nap = 0.001
            while not (self._closed or self.has_exited()):
                if self._pidfd is None:
                    await trio.sleep(nap)
                    nap = min(2 * nap, MAX_NAP)
                    continue
                with suppress(trio.ClosedResourceError):
                    await trio.lowlevel.wait_readable(self._pidfd)

    def close(self) -> None:
        """Release the descriptor. The child must have been reaped, or given up."""
        self._closed = True
        if self._pidfd is not None:
            trio.lowlevel.notify_closing(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None


def _open_pidfd(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        if error.errno in _NO_PIDFD:
            return None
        raise


def ending_text(code: int) -> str:
    """Return how a process with this return code ended; a negative code is a signal's number."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed (signal {-code})"
