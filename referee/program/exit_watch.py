"""Notices that a child has exited, and says how.

On Linux a pidfd says at once when a process exits, even a child that another process traces and
whose zombie `waitpid` does not show. Elsewhere, and if the kernel refuses one, the child is polled.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    import subprocess

MAX_NAP = 0.02
_NO_PIDFD = (errno.ENOSYS, errno.EPERM, errno.EINVAL)


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


_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "waitid") else 0


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
