"""The keys of a terminal, one at a time and without Enter."""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import TracebackType
    from typing import Any, Self, TextIO

MAX_BYTES = 64
LOCAL_MODES, SPECIAL = 3, 6
"""Indices into the result of `termios.tcgetattr`."""


def is_ours(stream: TextIO | None) -> bool:
    """Whether `stream` is a terminal whose keys go to this process."""
    try:
        return stream is not None and os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


class Keyboard:
    """The keys of the terminal `descriptor` within a `with` block, which restores the terminal.

    Keys are not echoed. Ctrl-C is still a signal. Ctrl-Z is a key like others, since the clocks of
    thinking engines would run out while the referee is stopped.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        modes = termios.tcgetattr(self._descriptor)
        modes[LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
        modes[SPECIAL][termios.VMIN], modes[SPECIAL][termios.VTIME] = 1, 0
        modes[SPECIAL][termios.VSUSP] = os.fpathconf(self._descriptor, "PC_VDISABLE").to_bytes(1)
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            # What was typed too late must not reach the shell.
            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, self._before)
            self._before = None

    async def keys(self) -> AsyncIterator[str]:
        """Yield each key that is pressed, until the terminal is gone.

        Arrows and other keys that send several bytes are left out.
        """
        while True:
            await trio.lowlevel.wait_readable(self._descriptor)
            try:
                data = os.read(self._descriptor, MAX_BYTES)
            except OSError:
                return
            if not data:
                return
            if not data.startswith(b"\x1b"):
                for key in data.decode("utf-8", "replace"):
                    yield key
