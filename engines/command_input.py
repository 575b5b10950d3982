"""The commands that arrive for an engine, also while it thinks about an earlier one."""

from __future__ import annotations

import os
import select
from collections import deque
from typing import TYPE_CHECKING

from oddly.protocol.codec import CommandDecoder
from oddly.protocol.messages import Command

if TYPE_CHECKING:
    from oddly.protocol.messages import MalformedCommand

CHUNK = 65_536
MAX_AHEAD = 1000
"""Commands that are read ahead; what comes behind them waits in the pipe."""
STOP = "stop"


class CommandInput:
    """Reads a file descriptor. Commands come out in their order; `stop` is seen before its turn."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._decoder = CommandDecoder()
        self._ahead: deque[Command | MalformedCommand] = deque()
        self._stops = 0
        self._has_ended = False

    def next(self) -> Command | MalformedCommand | None:
        """Wait for the next command and return it; None at the end of the input."""
        while not self._ahead and not self._has_ended:
            self._read()
        if not self._ahead:
            return None
        command = self._ahead.popleft()
        self._stops -= _is_stop(command)
        return command

    def is_stopped(self) -> bool:
        """Return whether a `stop` has come that was not handed out yet."""
        self._look(0)
        return self._stops > 0

    def has_more(self, seconds: float = 0) -> bool:
        """Wait up to `seconds` for a further command or the end; return whether one has come."""
        if not self._ahead:
            self._look(seconds)
        return bool(self._ahead) or self._has_ended

    def _look(self, seconds: float) -> None:
        """Read what comes within `seconds`."""
        if self._has_ended or len(self._ahead) >= MAX_AHEAD:
            return
        if select.select([self._source], [], [], seconds)[0]:
            self._read()

    def _read(self) -> None:
        data = os.read(self._source, CHUNK)
        self._has_ended = not data
        self._decoder.feed(data)
        while (command := self._decoder.next_event()) is not None:
            self._ahead.append(command)
            self._stops += _is_stop(command)


def _is_stop(command: Command | MalformedCommand) -> bool:
    return isinstance(command, Command) and command.name == STOP
