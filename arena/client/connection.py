"""One connection to an arena: messages over the WebSocket of a bridge.

Everything that breaks or ends it raises BridgeError, whose message is one sentence.
"""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from oddly.arena.wire.from_arena import parse_from_arena
from oddly.arena.wire.members import WireError
from oddly.arena.wire.message import MAX_FROM_ARENA, SUBPROTOCOL
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.connector import stream_to
from oddly.referee.bridge.websocket import hear, opened, say

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import TypeAlias

    from trio_websocket import WebSocketConnection

    from oddly.arena.client.address import ArenaAddress
    from oddly.arena.wire.message import Message

    OpenStream: TypeAlias = Callable[[], Awaitable[trio.abc.Stream]]

PATIENCE = 10.0
"""Seconds to wait for the answer to our request for a WebSocket."""
NO_ARENA = f"the other side is no arena that speaks {SUBPROTOCOL}"


class ArenaConnection:
    """Sends and receives messages."""

    def __init__(self, websocket: WebSocketConnection) -> None:
        self._websocket = websocket

    async def send(self, message: Message) -> None:
        """Send a message. Raises BridgeError."""
        await say(self._websocket, message.encoded())

    async def receive(self) -> Message:
        """Return the next message of a known type. Raises BridgeError."""
        while True:
            said = await hear(self._websocket)
            if isinstance(said, bytes):
                raise BridgeError("the arena sent bytes that are not text")
            try:
                message = parse_from_arena(said)
            except WireError as error:
                raise BridgeError(f"the arena sent an invalid message: {error}") from None
            if message is not None:
                return message


@asynccontextmanager
async def connected(
    address: ArenaAddress, open_stream: OpenStream | None = None
) -> AsyncIterator[ArenaConnection]:
    """Connect to an arena, and close the connection at the end. Raises BridgeError."""
    stream = await (open_stream() if open_stream else stream_to(address.target))
    path = address.target.path
    try:
        with trio.move_on_after(PATIENCE) as waiting:
            async with opened(
                stream, address.host, path, (SUBPROTOCOL,), NO_ARENA, MAX_FROM_ARENA
            ) as websocket:
                waiting.deadline = math.inf
                yield ArenaConnection(websocket)
    finally:
        await trio.aclose_forcefully(stream)
    if waiting.cancelled_caught:
        raise BridgeError(f"{address} did not answer within {PATIENCE:g} s")
