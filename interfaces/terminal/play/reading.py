"""Where the lines of a session come from: a terminal with completion, or a pipe."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 65_536
"""Bytes of a line; what is longer is cut off."""


class Interrupted(Exception):
    """Ctrl-C was typed at the prompt. `had_text` tells whether it only cleared a line."""

    def __init__(self, *, had_text: bool) -> None:
        super().__init__("Ctrl-C")
        self.had_text = had_text


class Reader(Protocol):
    """Reads lines that a human typed, or wrote to a pipe."""

    async def read(self, prompt: str) -> str | None:
        """The next line; None at the end. Raises Interrupted."""

    def abandon(self) -> None:
        """End a `read` that is going on, which is being cancelled, and leave the terminal well."""


class PipeReader:
    """Lines as they come from a file descriptor, echoed after the prompt.

    A terminal that cannot do more, as in an editor, echoes by itself and gets the prompt first.
    """

    def __init__(self, descriptor: int, show: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._show = show
        self._data = b""
        self._ended = False

    async def read(self, prompt: str) -> str | None:
        """The next line; None at the end."""
        is_terminal = os.isatty(self._descriptor)
        if is_terminal and b"\n" not in self._data:
            self._show(prompt)
        while b"\n" not in self._data and not self._ended:
            data = await self._receive()
            self._ended = not data
            self._data = self._data[:LONGEST] + data
        if not self._data:
            return None
        line, _, self._data = self._data.partition(b"\n")
        text = line[:LONGEST].decode("utf-8", "backslashreplace")
        if not is_terminal:
            self._show(f"{prompt}{text}")
        return text

    def abandon(self) -> None:
        """Nothing: a cancelled wait is enough."""

    async def _receive(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self._descriptor)
        except PermissionError:
            # A regular file is always readable, and Linux does not wait for one.
            await trio.lowlevel.checkpoint()
        return os.read(self._descriptor, LONGEST)


def is_interactive() -> bool:
    """Whether somebody sits before a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
