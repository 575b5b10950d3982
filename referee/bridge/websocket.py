"""A WebSocket under a bridge, over TCP or TLS, and the sealed channel on it.

Anything that breaks or ends a connection raises BridgeError.
"""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, cast

import trio
import trio_websocket

from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeError, BridgeRefusal
from oddly.referee.bridge.handshake import SEAL, Seal
from oddly.referee.program.channel import CHUNK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

MAX_MESSAGE = CHUNK + SEAL
FAREWELL = 1.0
"""Seconds for closing a WebSocket politely."""
SIZES: dict[str, Any] = {
    "message_queue_size": 1,
    "max_message_size": MAX_MESSAGE,
    "receive_buffer_size": CHUNK,
}
NOT_FOUND = 404
TOO_BIG = 1009
CLOSED = "the other side closed the connection"
NO_BRIDGE = "the other side is not an oddly bridge of version 2 or 3"


class SealedChannel:
    """Sealed bytes both ways. Sending empty bytes ends the other side's input."""

    def __init__(
        self, websocket: trio_websocket.WebSocketConnection, sending: bytes, receiving: bytes
    ) -> None:
        self._websocket = websocket
        self._sending = Seal(sending)
        self._receiving = Seal(receiving)
        self.is_whole = True
        """Whether no message was sent in part, so that another can follow."""

    async def send(self, data: bytes) -> None:
        """Send bytes. Raises BridgeError if the connection broke."""
        self.is_whole = False
        await say(self._websocket, self._sending.close(data))
        self.is_whole = True

    async def receive(self) -> bytes:
        """Return the next bytes, empty at the end of the other side's output.

        Raises BridgeError if the connection ends or breaks, or a message is not sealed.
        """
        return self._receiving.open(await hear(self._websocket))

    async def say_ok(self) -> None:
        """End the handshake. Raises BridgeError."""
        await say(self._websocket, handshake.OK)


class _EndingStream(trio.abc.Stream):
    """A stream that notices its connection's end, for which trio-websocket may wait for ever."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self.ended = trio.Event()
        self.why = CLOSED

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        with self._noticing_the_end():
            data = await self._stream.receive_some(max_bytes)
        if not data:
            self.ended.set()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        with self._noticing_the_end():
            await self._stream.send_all(data)

    @contextmanager
    def _noticing_the_end(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if isinstance(error.__cause__, ssl.SSLError):
                self.why = f"no TLS with the other side: {_tls_failure(error.__cause__)}"
            self.ended.set()
            raise

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        self.ended.set()
        await trio.aclose_forcefully(self._stream)


@asynccontextmanager
async def accepted(stream: trio.abc.Stream) -> AsyncIterator[trio_websocket.WebSocketConnection]:
    """Accept a WebSocket on a stream, and close it at the end.

    Web pages are refused, or any page in a browser on this machine could open one. Raises
    BridgeError.
    """
    ending = _EndingStream(stream)
    async with _bridge_errors(), trio.open_nursery() as nursery:
        async with _unless_ended(ending):
            request = await trio_websocket.wrap_server_stream(nursery, ending, **SIZES)
        names = {bytes(name).lower() for name, _ in request.headers}
        known = [each for each in handshake.VERSIONS if each in request.proposed_subprotocols]
        if b"origin" in names or not known:
            await request.reject(NOT_FOUND, body=b"This is an oddly bridge of version 2 or 3.\n")
            raise BridgeError("it did not ask for an oddly bridge of version 2 or 3")
        websocket = await request.accept(subprotocol=known[0])
        try:
            yield websocket
        finally:
            await _farewell(websocket, ending)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def opened(
    stream: trio.abc.Stream,
    host: str,
    path: str,
    subprotocols: Sequence[str] = tuple(handshake.VERSIONS),
    refusal: str = NO_BRIDGE,
    max_message: int = MAX_MESSAGE,
) -> AsyncIterator[trio_websocket.WebSocketConnection]:
    """Open a WebSocket of one of the subprotocols on a stream, and close it at the end.

    Raises BridgeError, which says `refusal` if the other side speaks none of them.
    """
    ending = _EndingStream(stream)
    sizes = {**SIZES, "max_message_size": max_message}
    async with _bridge_errors(refusal), trio.open_nursery() as nursery:
        async with _unless_ended(ending):
            websocket = await trio_websocket.wrap_client_stream(
                nursery,
                cast("trio.SocketStream", ending),
                host,
                path,
                subprotocols=list(subprotocols),
                **sizes,
            )
        if websocket.subprotocol not in subprotocols:
            raise BridgeError(refusal)
        try:
            yield websocket
        finally:
            await _farewell(websocket, ending)
        nursery.cancel_scope.cancel()


def version_of(websocket: trio_websocket.WebSocketConnection) -> int:
    """Return the version of the bridge that both ends have agreed on."""
    return handshake.VERSIONS[str(websocket.subprotocol)]


async def hear(websocket: trio_websocket.WebSocketConnection) -> str | bytes:
    """Return the next message. Raises ConnectionEnd if the connection ends."""
    try:
        return await websocket.get_message()
    except trio_websocket.ConnectionClosed as closed:
        raise ConnectionEnd(_why(closed)) from None


async def say(websocket: trio_websocket.WebSocketConnection, message: str | bytes) -> None:
    """Send a message. Raises ConnectionEnd if the connection ends."""
    try:
        await websocket.send_message(message)
    except trio_websocket.ConnectionClosed as closed:
        raise ConnectionEnd(_why(closed)) from None
    except Exception as error:
        # A connection about to close refuses in its own words.
        raise ConnectionEnd(_failure(error)) from None


class ConnectionEnd(BridgeError):
    """The end of a connection, orderly or not."""


def _why(closed: trio_websocket.ConnectionClosed) -> str:
    too_big = closed.reason is not None and closed.reason.code == TOO_BIG
    return f"a message of more than {MAX_MESSAGE} bytes" if too_big else CLOSED


def _tls_failure(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return (error.reason or str(error)).replace("_", " ").lower()


def _failure(error: Exception) -> str:
    return f"the connection failed: {type(error).__name__}"


async def _farewell(websocket: trio_websocket.WebSocketConnection, stream: _EndingStream) -> None:
    """Close a WebSocket politely, or else at once."""
    with trio.move_on_after(FAREWELL):
        await websocket.aclose()
    await stream.aclose()


@asynccontextmanager
async def _unless_ended(stream: _EndingStream) -> AsyncIterator[None]:
    """Run the body until the connection ends. Raises BridgeError if it does."""
    is_done = False
    async with trio.open_nursery() as race:

        async def watch() -> None:
            await stream.ended.wait()
            race.cancel_scope.cancel()

        race.start_soon(watch)
        yield
        is_done = True
        race.cancel_scope.cancel()
    if not is_done:
        raise ConnectionEnd(stream.why)


@asynccontextmanager
async def _bridge_errors(refusal: str = NO_BRIDGE) -> AsyncIterator[None]:
    """Raise BridgeError for anything that goes wrong on a connection, except cancellation."""
    try:
        yield
    except ExceptionGroup as group:
        error: Exception = group
        while isinstance(error, ExceptionGroup):
            # A refusal counts more than the end of the connection that it causes.
            for kind in (BridgeRefusal, BridgeError, Exception):
                if (known := error.subgroup(kind)) is not None:
                    error = known.exceptions[0]
                    break
        if isinstance(error, BridgeError):
            raise error from None
        if isinstance(error, trio_websocket.ConnectionRejected):
            raise BridgeError(f"{refusal}: HTTP {error.status_code}") from None
        raise BridgeError(_failure(error)) from None
