"""Lines for a session, from a terminal or a pipe."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LINE_LENGTH = 65_536
"""Bytes of a line; the rest is cut off."""


class Interrupted(Exception):
    """Ctrl-C at the prompt. `had_text` tells whether it only cleared a line."""

    def __init__(self, *, had_text: bool) -> None:
        super().__init__("Ctrl-C")
        self.had_text = had_text


class Reader(Protocol):
    """A source of lines."""

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end. Raises Interrupted after Ctrl-C.

        `left` are the seconds on the reader's clock, if it runs.
        """

    def abandon(self) -> None:
        """End a cancelled `read` and restore the terminal."""


class PipeReader:
    """Lines from a file descriptor, echoed after the prompt.

    A simple terminal, as in an editor, echoes by itself and gets the prompt first.
    """

    def __init__(self, descriptor: int, show: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._show = show
        self._data = b""
        self._ended = False

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end."""
        is_terminal = os.isatty(self._descriptor)
        if is_terminal and b"\n" not in self._data:
            self._show(prompt)
        while b"\n" not in self._data and not self._ended:
            data = await self._receive()
            self._ended = not data
            self._data = self._data[:MAX_LINE_LENGTH] + data
        if not self._data:
            return None
        line, _, self._data = self._data.partition(b"\n")
        text = line[:MAX_LINE_LENGTH].decode("utf-8", "backslashreplace")
        if not is_terminal:
            self._show(f"{prompt}{text}")
        return text

    def abandon(self) -> None:
        """Do nothing: the wait is cancelled already."""

    async def _receive(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self._descriptor)
        except PermissionError:
            # Linux cannot wait for a regular file, which is always readable.
            await trio.lowlevel.checkpoint()
        return os.read(self._descriptor, MAX_LINE_LENGTH)


def is_interactive() -> bool:
    """Whether input and output are a terminal that can show a prompt."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
