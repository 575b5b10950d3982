"""The loop around an engine that plays drops, on standard input and output."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import trio

from oddly.protocol.codec import CommandDecoder, ReplyDecoder, encode_command, encode_reply
from oddly.protocol.errors import RemoteProtocolError
from oddly.protocol.messages import Command, MalformedCommand, Reply
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.drop_level import DropLevelAdapter
from oddly.referee.channel import CHUNK
from oddly.referee.fault import EngineFault
from oddly.referee.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.abc import ReceiveStream, SendStream

    from oddly.games.game import Game

GRACE = 1.0
"""Seconds from the end of input to SIGKILL."""
STDERR = 16_384


class EngineOfDrops:
    """A conversation with an engine that plays drops: one command, one reply."""

    def __init__(self, process: EngineProcess) -> None:
        self._process = process
        self._decoder = ReplyDecoder()
        self._ids = count(1)

    async def ask(self, command: Command) -> Reply:
        """Send a command and return the reply. Raises BridgeError if there is none."""
        number = next(self._ids)
        try:
            await self._process.send(encode_command(command, number))
        except OSError:
            # The engine closed its input, but its last reply may still arrive.
            pass
        try:
            while (reply := self._decoder.next_reply()) is None:
                data = await self._process.receive()
                if not data:
                    failure = self._process.failure_to_start()
                    ended = await self._process.how_it_ended(GRACE)
                    raise BridgeError(failure.reason if failure else f"the engine {ended}")
                self._decoder.feed(data)
        except RemoteProtocolError as error:
            raise BridgeError(f"the engine sent {error.reason}") from None
        if reply.id != number:
            raise BridgeError(f"the engine's reply has id {reply.id}, not {number}")
        return reply


async def adapt(command: Sequence[str], game: Game) -> None:
    """Serve as a native engine on top of `command` until `quit`. Raises BridgeError."""
    try:
        process = EngineProcess.start(command, STDERR)
    except EngineFault as fault:
        raise BridgeError(fault.reason) from None
    process.on_stderr = _to_stderr
    failure: BridgeError | None = None
    source, sink = (trio.lowlevel.FdStream(os.dup(fd)) for fd in (0, 1))
    async with source, sink, trio.open_nursery() as nursery:
        nursery.start_soon(process.attend)
        try:
            adapter = DropLevelAdapter(EngineOfDrops(process).ask, game)
            await converse(adapter, source, sink)
        except BridgeError as error:
            failure = error
        finally:
            with trio.CancelScope(shield=True):
                await process.stop(GRACE)
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def converse(adapter: DropLevelAdapter, source: ReceiveStream, sink: SendStream) -> None:
    """Answer commands until `quit` or the end of input."""
    decoder = CommandDecoder()
    while data := await source.receive_some(CHUNK):
        decoder.feed(bytes(data))
        while (event := decoder.next_event()) is not None:
            if isinstance(event, MalformedCommand):
                reply = Reply(False, f"syntax error: {event.reason}", event.id)
            else:
                reply = await adapter.answer(event)
            try:
                await sink.send_all(encode_reply(reply))
            except trio.BrokenResourceError:
                return
            if isinstance(event, Command) and event.name == "quit" and reply.ok:
                return


def _to_stderr(data: bytes) -> None:
    """Copy the engine's standard error to ours, which our parent drains."""
    with suppress(OSError):
        os.write(2, data)
