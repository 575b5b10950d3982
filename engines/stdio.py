"""The loop between an engine and the pipes that a referee or a GUI holds."""

from __future__ import annotations

import os
import select
import sys
import traceback
from contextlib import redirect_stdout
from functools import partial
from typing import TYPE_CHECKING

from oddly.engines.dispatcher import Dispatcher
from oddly.games import Game, create_game
from oddly.games.catalogue import DEFAULT_GAME
from oddly.protocol import Command, CommandDecoder, encode_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.engines.engine import Engine
    from oddly.protocol import Analysis, MalformedCommand, Reply


def run(
    engine: Engine,
    game: Game | None = None,
    dispatcher_class: Callable[[Engine, Game], Dispatcher] = Dispatcher,
) -> None:
    """Answer commands from standard input until `quit` or its end.

    The game before any `set_game` is `game`, or Yodd on its default board. While it runs,
    `print` goes to standard error, so that an engine's chatter cannot break the protocol.
    A `dispatcher_class` may have another table of commands.
    """
    output = sys.stdout.fileno()
    try:
        with redirect_stdout(sys.stderr):
            dispatcher = dispatcher_class(engine, game or create_game(DEFAULT_GAME))
            serve(dispatcher, sys.stdin.fileno(), output)
    except (BrokenPipeError, KeyboardInterrupt):
        return


def serve(dispatcher: Dispatcher, source: int, sink: int) -> None:
    """Answer the commands from file descriptor `source` on `sink`."""
    commands = CommandInput(source)
    dispatcher.engine.is_stopped = commands.is_stopped
    while not dispatcher.has_quit and (command := commands.next()) is not None:
        reply = dispatcher.answer(command)
        if dispatcher.analyses is not None:
            analyses, dispatcher.analyses = dispatcher.analyses(commands.has_more), None
            _stream(reply, analyses, sink)
        else:
            data = encode_reply(reply)
            dispatcher.engine.deliver(command, data, partial(_write, sink))


def _stream(reply: Reply, analyses: Iterator[Analysis], sink: int) -> None:
    """Write a reply line by line, as its analyses come."""
    _write(sink, encode_reply(reply)[:-1])
    try:
        for analysis in analyses:
            if analysis.turns:
                _write(sink, f"{analysis}\n".encode())
    except OSError:
        raise
    except Exception:
        traceback.print_exc(file=sys.stderr)
    _write(sink, b"\n")


def _write(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]


CHUNK = 65_536
MAX_AHEAD = 16 * 1024 * 1024
"""Bytes of commands that are read ahead; later ones wait in the pipe."""
STOP = "stop"


class CommandInput:
    """Reads a file descriptor. Commands come out in their order; `stop` is seen before its turn."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._decoder = CommandDecoder()
        # It looks ahead and only counts: bytes that wait take less memory than commands.
        self._scout = CommandDecoder()
        self._waiting = bytearray()
        self._ahead = 0
        self._stops = 0
        self._has_ended = False

    def next(self) -> Command | MalformedCommand | None:
        """Wait for the next command and return it; None at the end of the input."""
        while not self._ahead and not self._has_ended:
            self._read()
        if not self._ahead:
            return None
        while (command := self._decoder.next_event()) is None:
            self._decoder.feed(bytes(self._waiting[:CHUNK]))
            del self._waiting[:CHUNK]
        self._ahead -= 1
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
        return self._ahead > 0 or self._has_ended

    def _look(self, seconds: float) -> None:
        """Read what comes within `seconds`."""
        if self._has_ended or len(self._waiting) >= MAX_AHEAD:
            return
        if select.select([self._source], [], [], seconds)[0]:
            self._read()

    def _read(self) -> None:
        data = os.read(self._source, CHUNK)
        self._has_ended = not data
        self._waiting += data
        self._scout.feed(data)
        while (command := self._scout.next_event()) is not None:
            self._ahead += 1
            self._stops += _is_stop(command)
        if not self._ahead:
            # Nothing but comments, or a part of a line, without end perhaps.
            self._decoder.feed(bytes(self._waiting))
            self._waiting.clear()


def _is_stop(command: Command | MalformedCommand) -> bool:
    return isinstance(command, Command) and command.name == STOP and not command.arguments
