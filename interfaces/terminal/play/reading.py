"""The lines that people type: where they come from, and Ctrl-C between them.

`prompting.py` has the source on a terminal that can show a prompt.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Callable


MAX_LINE_LENGTH = 65_536
"""The most bytes in a line; the rest is cut off."""


class Interrupted(Exception):
    """Ctrl-C at the prompt. `had_text` says whether it only cleared a line."""

    def __init__(self, *, had_text: bool) -> None:
        super().__init__("Ctrl-C")
        self.had_text = had_text


class Reader(Protocol):
    """A source of lines."""

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end. Raises Interrupted after Ctrl-C.

        `left` is the time on the reader's clock in seconds, if it runs.
        """

    def abandon(self) -> None:
        """End a cancelled `read` and restore the terminal."""


class PipeReader:
    """Lines from a file descriptor, echoed after the prompt.

    A simple terminal, as in an editor, echoes by itself, and gets the prompt first.
    """

    def __init__(self, descriptor: int, show: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._show = show
        self._data = b""
        self._ended = False
        self._waiting: trio.CancelScope | None = None

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end. Raises Interrupted."""
        is_terminal = os.isatty(self._descriptor)
        if is_terminal and b"\n" not in self._data:
            self._show(prompt)
        if not await self._has_waited():
            # The terminal has shown ^C, and dropped what was typed; we have what Ctrl-D passed on.
            self._data = b""
            self._show("")
            raise Interrupted(had_text=False)
        if not self._data:
            return None
        line, _, self._data = self._data.partition(b"\n")
        text = line[:MAX_LINE_LENGTH].decode("utf-8", "backslashreplace")
        if not is_terminal:
            self._show(f"{prompt}{text}")
        return text

    def interrupt(self) -> bool:
        """End a `read` from a terminal by Interrupted; return whether there is one."""
        if self._waiting is None or not os.isatty(self._descriptor):
            return False
        self._waiting.cancel()
        return True

    def abandon(self) -> None:
        """Do nothing: the wait is cancelled already."""

    async def _has_waited(self) -> bool:
        """Wait for a line or the end; return False if `interrupt` ended the wait."""
        try:
            with trio.CancelScope() as self._waiting:
                while b"\n" not in self._data and not self._ended:
                    data = await self._receive()
                    self._ended = not data
                    self._data = self._data[:MAX_LINE_LENGTH] + data
            return not self._waiting.cancelled_caught
        finally:
            self._waiting = None

    async def _receive(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self._descriptor)
        except PermissionError:
            # Linux cannot wait for a regular file, which is always readable.
            await trio.lowlevel.checkpoint()
        return os.read(self._descriptor, MAX_LINE_LENGTH)


def is_interactive() -> bool:
    """Return whether input and output are a terminal that can show a prompt."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
