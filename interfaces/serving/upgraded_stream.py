"""A connection that an application reads and writes by itself, past the layers of the HTTP server.

`upgraded(scope)` is the stream of a request. A WebSocket takes it over once it is upgraded;
server-sent events are written to it after their headers.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anycorn.run
import anyio
import trio
from anycorn.tcp_server import TCPServer
from anycorn.typing import ConnectionState
from anyio.streams.tls import TLSAttribute

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Mapping

    from anycorn.typing import AppWrapper, LifespanState
    from anycorn.worker_context import WorkerContext
    from starlette.types import Scope

KEY = "oddly.stream"
"""The stream's name in the state of a request."""
MOST = 65_536
"""Bytes that the HTTP server reads at once."""
AT_ONCE = 4096
"""Bytes that an application reads at once: their frames are parsed without a pause."""
GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream,
        trio.ClosedResourceError, OSError)  # fmt: skip
"""The errors of a connection that is gone."""


class UpgradedStream(anyio.abc.ByteStream):
    """A stream that the HTTP server uses first, and then perhaps the application."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self._stream = stream
        self._reading = trio.CancelScope()
        self._is_taken = False
        self._is_over = trio.Event()
        # With TLS each byte goes through the stream; without it straight to the socket.
        attributes = stream.extra_attributes
        self._socket: socket.socket | None = None
        if TLSAttribute.ssl_object not in attributes:
            self._socket = attributes[anyio.abc.SocketAttribute.raw_socket]()

    def take(self) -> None:
        """Stop the HTTP server from reading, so that the application can."""
        self._is_taken = True
        self._reading.cancel()

    def give_back(self) -> None:
        """Let the HTTP server close the connection. It sends nothing more."""
        self._is_over.set()

    async def read(self) -> bytes:
        """Wait for bytes and return them; none at the end of the connection."""
        try:
            if self._socket is None:
                return await self._stream.receive(AT_ONCE)
            while True:
                await trio.lowlevel.wait_readable(self._socket)
                try:
                    return self._socket.recv(AT_ONCE)
                except BlockingIOError:
                    continue
        except GONE:
            return b""

    def write_now(self, data: bytes | bytearray) -> int:
        """Write as much as the socket takes at once; return the number of bytes."""
        if self._socket is None:
            return 0
        try:
            return self._socket.send(data)
        except OSError:
            # The socket is full, or gone, which its reader learns.
            return 0

    async def write_some(self, data: bytes) -> int:
        """Wait until some bytes are written; return how many. Raises one of GONE."""
        if self._socket is None:
            await self._stream.send(data)
            return len(data)
        while True:
            await trio.lowlevel.wait_writable(self._socket)
            try:
                return self._socket.send(data)
            except BlockingIOError:
                continue

    async def receive(self, max_bytes: int = MOST) -> bytes:
        """Read for the HTTP server.

        Raises anyio.EndOfStream; if the stream is taken, once it is given back.
        """
        if not self._is_taken:
            with trio.CancelScope() as self._reading:
                return await self._stream.receive(max_bytes)
        # The server's time limit is for requests.
        with trio.CancelScope(shield=True):
            await self._is_over.wait()
        raise anyio.EndOfStream

    async def send(self, item: bytes) -> None:
        """Write for the HTTP server."""
        if not self._is_over.is_set():
            await self._stream.send(item)

    async def send_eof(self) -> None:
        """Send nothing more."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close the connection, unless that is done or being done."""
        # The server closes a TLS connection again whose goodbye the other side does not answer.
        with suppress(*GONE):
            await self._stream.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        """The attributes of the stream."""
        return self._stream.extra_attributes


class Outflow:
    """Sends bytes at once as far as a connection takes them; the rest waits."""

    def __init__(self, stream: UpgradedStream, most: int) -> None:
        self._stream = stream
        self._most = most
        """The maximum number of bytes that wait."""
        self._waiting = bytearray()
        self._changed = trio.Event()

    def put(self, data: bytes) -> bool:
        """Send bytes; return whether those that wait are within the limit."""
        written = 0 if self._waiting else self._stream.write_now(data)
        if written < len(data):
            self._waiting += data[written:]
            self._changed.set()
        return len(self._waiting) <= self._most

    def look(self) -> None:
        """Let `keep_writing` see whether it is over."""
        self._changed.set()

    async def keep_writing(self, is_over: Callable[[], bool]) -> None:
        """Write waiting bytes until none are left and it is over. Raises one of GONE."""
        while self._waiting or not is_over():
            if self._waiting:
                written = await self._stream.write_some(bytes(self._waiting))
                del self._waiting[:written]
            else:
                self._changed = trio.Event()
                await self._changed.wait()


def upgraded(scope: Scope) -> UpgradedStream:
    """Return the stream of a request."""
    stream: UpgradedStream = scope["state"][KEY]
    return stream


def let_applications_take_streams() -> None:
    """Have anycorn give each request its stream, for which it has no setting."""
    anycorn.run.tcp_server_handler = _handler  # type: ignore[attr-defined]


def _handler(
    app: AppWrapper, config: anycorn.Config, context: WorkerContext, state: LifespanState
) -> Callable[[anyio.abc.SocketStream], Awaitable[None]]:
    """Return a function that serves a connection as anycorn's own does."""

    async def serve(stream: anyio.abc.SocketStream) -> None:
        ours = UpgradedStream(stream)
        own_state = ConnectionState({**state, KEY: ours})
        await TCPServer(app, config, context, own_state, ours).run()  # type: ignore[arg-type]

    return serve
