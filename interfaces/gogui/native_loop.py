"""The loop between GoGui's pipes and a native engine's program."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.gogui.native_engine import NativeDispatcher, NativeEngine
from oddly.protocol.codec import CommandDecoder, encode_reply
from oddly.protocol.messages import Command, MalformedCommand
from oddly.protocol.time_control import NO_CLOCK
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.program.channel import CHUNK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.abc import ReceiveStream, SendStream

    from oddly.games.game import Game
    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.referee.program.limits import Limits

LAST_WORDS = 5.0
"""Seconds after the end of input in which earlier commands are still answered."""
MAX_WAITING = 1000
"""Commands read ahead; GoGui waits for each reply."""


async def play_in_gogui(configuration: EngineConfiguration, game: Game, patience: float) -> None:
    """Serve GoGui on standard input and output until `quit` or the end of input.

    The engine gets `patience` seconds for each turn, and stops before this returns.
    """
    source, sink = (trio.lowlevel.FdStream(os.dup(fd)) for fd in (0, 1))
    async with source, sink, native_dispatcher(configuration, game, patience) as dispatcher:
        await converse(dispatcher, source, sink)


@asynccontextmanager
async def native_dispatcher(
    configuration: EngineConfiguration, game: Game, patience: float, limits: Limits | None = None
) -> AsyncIterator[NativeDispatcher]:
    """Give a dispatcher to be called in threads; the engine stops after the body."""
    async with trio.open_nursery() as nursery:
        unclocked = replace(configuration, time=NO_CLOCK)
        seat = EngineSeat(unclocked, nursery, limits=limits, wire=_show_stderr)
        try:
            name = Path(configuration.name).name
            yield NativeDispatcher(NativeEngine(seat, name, patience), game)
        finally:
            await seat.stop()
            nursery.cancel_scope.cancel()


async def converse(
    dispatcher: NativeDispatcher,
    source: ReceiveStream,
    sink: SendStream,
    last_words: float = LAST_WORDS,
) -> None:
    """Answer commands until `quit`, or for `last_words` seconds after the end of input."""
    send, receive = trio.open_memory_channel[Command | MalformedCommand](MAX_WAITING)

    async def read() -> None:
        decoder = CommandDecoder()
        async with send:
            while data := await source.receive_some(CHUNK):
                decoder.feed(bytes(data))
                while (event := decoder.next_event()) is not None:
                    await send.send(event)
        await trio.sleep(last_words)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        async for event in receive:
            reply = await trio.to_thread.run_sync(dispatcher.answer, event)
            try:
                await sink.send_all(encode_reply(reply))
            except trio.BrokenResourceError:
                break
            if dispatcher.has_quit:
                break
        nursery.cancel_scope.cancel()


def _show_stderr(direction: str, data: bytes, _at: float) -> None:
    """Write what the engine writes to standard error to ours, which GoGui's log shows."""
    if direction == "!":
        # A log that is closed or full must not end the game.
        with suppress(OSError):
            os.write(2, data)
