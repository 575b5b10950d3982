"""The loop between an engine and the pipes that a referee or a GUI holds."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from functools import partial
from typing import TYPE_CHECKING

from engines.dispatcher import Dispatcher
from games.catalogue import DEFAULT_GAME, create_game
from protocol.codec import CommandDecoder, encode_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines.engine import Engine
    from games.game import Game

CHUNK = 65_536


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
    decoder = CommandDecoder()
    while not dispatcher.has_quit:
        data = os.read(source, CHUNK)
        if not data:
            return
        decoder.feed(data)
        while not dispatcher.has_quit and (command := decoder.next_event()) is not None:
            reply = encode_reply(dispatcher.answer(command))
            dispatcher.engine.deliver(command, reply, partial(_write, sink))


def _write(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]
