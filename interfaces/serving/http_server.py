"""One HTTP server on trio that serves until it is stopped, whatever a request does to it.

It accepts connections while the system has files for them, and each address has a share. Some files
stay free, so that a server full of strangers can still write its games and start its engines. A
server that has no file for a new connection keeps the others.
"""

from __future__ import annotations

import errno
import logging
import os
import resource
import signal
import sys
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import anycorn
import anycorn.protocol.ws_stream
import anyio
import trio
from anycorn.protocol.h11 import H11Protocol
from anyio._backends._trio import SocketStream, TCPSocketListener
from starlette.requests import ClientDisconnect
from wsproto.connection import Connection, ConnectionState
from wsproto.events import CloseConnection

from oddly.interfaces.serving.applications import HERE, RateLimit, visitor_of
from oddly.interfaces.serving.listening import MAX_FILES
from oddly.interfaces.serving.upgraded_stream import let_applications_take_streams
from oddly.referee.program.orphans import kill_our_engines

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Awaitable, Callable, Generator

    from anycorn.typing import Framework
    from starlette.types import ASGIApp, Receive, Scope, Send
    from wsproto.events import Event

    Accept = Callable[[TCPSocketListener], Awaitable[anyio.abc.SocketStream]]


FAREWELL = 0.25
"""Seconds for connections to close by themselves."""
BETWEEN_RESTARTS = 0.2
LARGEST_HEAD = 16_384
"""Bytes of a request before its body."""


HANDSHAKE = 10
"""Seconds in which a connection must complete the TLS handshake."""


class _SecureConfig(anycorn.Config):
    """A configuration with a TLS context that others may change; None for no TLS."""

    context: ssl.SSLContext | None = None
    ssl_handshake_timeout = HANDSHAKE

    @property
    def ssl_enabled(self) -> bool:
        return self.context is not None

    def create_ssl_context(self) -> ssl.SSLContext | None:
        return self.context


def server_config(read_timeout: int, context: ssl.SSLContext | None = None) -> anycorn.Config:
    """Return how to serve: HTTP/1.1 only, no log of requests, no header about the server.

    A connection that is silent for `read_timeout` seconds is closed. With a context, the server
    speaks TLS.
    """
    # A stranger's handshake that fails is no news.
    logging.getLogger("anyio.streams.tls").setLevel(logging.CRITICAL)
    config = _SecureConfig()
    config.context = context
    config.alpn_protocols = ["http/1.1"]
    config.accesslog = None
    config.errorlog = _errors()
    config.graceful_timeout = FAREWELL
    config.read_timeout = read_timeout
    config.h11_max_incomplete_size = LARGEST_HEAD
    config.max_app_queue_size = 4
    config.include_server_header = False
    return config


async def keep_serving(
    app: ASGIApp, listener: socket.socket, config: anycorn.Config, stop: trio.Event
) -> None:
    """Serve until `stop`, and restart the HTTP server if a request breaks it."""
    _refuse_http2()
    _bound_frames()
    _bound_connections()
    let_applications_take_streams()
    while not stop.is_set():
        # The server closes the socket that it gets.
        config.bind = [f"fd://{listener.dup().detach()}"]
        try:
            await anycorn.serve(
                cast("Framework", _tolerant(app)),
                config,
                shutdown_trigger=stop.wait,
                mode="asgi",
            )
        except Exception as error:
            # A log that is gone must not end the server.
            with suppress(OSError):
                print(f"oddly: the server began anew after {_causes(error)}", file=sys.stderr)
            await trio.sleep(BETWEEN_RESTARTS)


def _refuse_http2() -> None:
    """Keep anycorn from switching to HTTP/2 without TLS, for which it has no setting."""

    async def speak_http1(protocol: H11Protocol, request: object) -> None:
        """Treat the request as HTTP/1.1, which the application then answers or refuses."""

    H11Protocol._check_protocol = speak_http1  # type: ignore[method-assign,assignment]


POLICY = 1008
FRAME_RATE, FRAME_BURST = 50.0, 150
"""Frames a second on one WebSocket, pings and parts of messages included."""


class _BoundedWebSocket(Connection):
    """A WebSocket on which too many frames are like the closing frame of its client."""

    def __init__(self, *words: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*words, **more)
        self._allowance = RateLimit(FRAME_RATE, FRAME_BURST, trio.current_time())

    def events(self) -> Generator[Event, None, None]:
        for event in super().events():
            if not self._allowance.spend(trio.current_time()):
                # The server answers with the same code, and ends the connection.
                self._state = ConnectionState.REMOTE_CLOSING
                yield CloseConnection(code=POLICY, reason="too many frames")
                return
            yield event


def _bound_frames() -> None:
    """Bound the frames on WebSockets, for which anycorn has no setting."""
    anycorn.protocol.ws_stream.Connection = _BoundedWebSocket  # type: ignore[attr-defined]


RESERVE = 64
"""Files that are not for connections, or a quarter of all where there are few."""
SHARE = 0.5
"""The share of one address, except this machine, which may be a proxy."""
PAUSE = 0.1
"""Seconds before another try where there is no file for a connection."""
NO_FILE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def files_for_connections() -> int:
    """Return the least number of a file that no connection gets."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MAX_FILES if soft == resource.RLIM_INFINITY else soft
    return files - min(RESERVE, files // 4)


class OpenConnections:
    """Counts the connections of each address."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    def admit(self, file: int, address: str) -> bool:
        """Count a connection with a file's number, and return True; False if it is one too many."""
        files = files_for_connections()
        # The system gives the least number that is free.
        if file >= files or (self._of[address] >= SHARE * files and address not in HERE):
            return False
        self._of[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Forget a connection that was admitted."""
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


class _CountedStream(SocketStream):
    """A connection that is counted until it is closed."""

    address: str | None = None

    async def aclose(self) -> None:
        if self.address is not None:
            _connections.leave(self.address)
            self.address = None
        await super().aclose()


_connections = OpenConnections()
"""Those of this process, like its limit of files."""


def _bound_connections() -> None:
    """Have all listeners accept connections within bounds, for which anycorn has no setting."""
    TCPSocketListener.accept = _accept  # type: ignore[method-assign]


async def _accept(
    self: TCPSocketListener, *, accept: Accept = TCPSocketListener.accept
) -> SocketStream:
    """Accept the next connection that is admitted; the others are closed."""
    while True:
        try:
            found = await accept(self)
        except anyio.BrokenResourceError as error:
            if not isinstance(error.__cause__, OSError) or error.__cause__.errno not in NO_FILE:
                raise
            await trio.sleep(PAUSE)
            continue
        stream = _CountedStream(found._trio_socket)  # type: ignore[attr-defined]
        address = _address(stream)
        if _connections.admit(stream._raw_socket.fileno(), address):
            stream.address = address
            return stream
        await anyio.aclose_forcefully(stream)


def _address(stream: SocketStream) -> str:
    """Return the address of a connection; empty if it is gone already."""
    peer = stream.extra_attributes.get(anyio.abc.SocketAttribute.remote_address, lambda: ("",))
    return visitor_of({"client": (peer()[0], 0), "headers": []}, ())


def _tolerant(app: ASGIApp) -> ASGIApp:
    """Return the application wrapped in one that handles start and end itself, even cancelled.

    The wrapper ignores a client that leaves before the end of its request.
    """

    async def serving(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            with suppress(ClientDisconnect):
                await app(scope, receive, send)
            return
        kind = ""
        while kind != "lifespan.shutdown":
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})

    return serving


def _causes(error: BaseException) -> str:
    """Return the kinds of the innermost errors of a group, each once, and what caused them."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(dict.fromkeys(_causes(inner) for inner in error.exceptions))
    cause = "" if error.__cause__ is None else f", caused by {error.__cause__!r}"
    return f"{type(error).__name__}{cause}"


def _errors() -> logging.Logger:
    """Return a logger that prints only errors; the caller prints the address."""
    logger = logging.getLogger("oddly.serving")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("oddly: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    logger.setLevel(logging.ERROR)
    return logger


async def await_signals(
    stop: trio.Event,
    *,
    hangups_stop: bool = True,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Set `stop` at the first signal; kill the engines and exit at the second.

    SIGHUP stops too, unless it is ignored, as under nohup, or has another meaning.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hangups_stop and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    with trio.open_signal_receiver(*numbers) as signals:
        task_status.started()
        async for _ in signals:
            if stop.is_set():
                kill_our_engines()
                os._exit(1)
            stop.set()
