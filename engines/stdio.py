"""The loop between an engine and the pipes that a referee or a GUI holds."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import redirect_stdout
from functools import partial
from typing import TYPE_CHECKING

from oddly.engines.command_input import CommandInput
from oddly.engines.dispatcher import Dispatcher
from oddly.games.catalogue import DEFAULT_GAME, create_game
from oddly.protocol.codec import encode_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.engines.engine import Engine
    from oddly.games.game import Game
    from oddly.protocol.analysis import Analysis
    from oddly.protocol.messages import Reply


def run(
    engine: Engine,
    game: Game | None = None,
    dispatcher_class: Callable[[Engine, Game], Dispatcher] = Dispatcher,
) -> None:
    """Answer commands from standard input until `quit` or its end.

    The game before any `set_game` is `game`, or Yodd on its default board. While it runs,
    `print` goes to standard error, so that an engine's chatter cannot break the protocol.
    Another table of commands is another `dispatcher_class`.
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
