"""The address of an arena, and one connection to it: messages over the WebSocket of a bridge.

An address is `wss://arena.example.org`, or `ws://localhost:8800/arena` for a test. Whatever breaks
or ends a connection raises BridgeError, whose message is one sentence.
"""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import trio

from oddly.arena.wire.members import MAX_FROM_ARENA, SUBPROTOCOL, Message, WireError
from oddly.arena.wire.messages import parse_from_arena
from oddly.arena.wire.proof import host_of
from oddly.games import one_line
from oddly.referee.bridge.address import (
    DEFAULT_PORTS,
    BridgeAddress,
    BridgeError,
    BridgeTarget,
    is_host,
)
from oddly.referee.bridge.connector import stream_to
from oddly.referee.bridge.websocket import hear, opened, say

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path
    from typing import TypeAlias
    from urllib.parse import SplitResult

    from trio_websocket import WebSocketConnection

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


PATH = "/arena"
"""The default path at which an arena waits for engines."""
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
"""The scheme of the WebSocket for each accepted scheme: the address in a browser works too."""


class ArenaURLError(ValueError):
    """A text that is no address of an arena. The message is one sentence."""


class ArenaAddress(NamedTuple):
    """Where to connect, and what to call it."""

    target: BridgeTarget
    host: str
    """The header `Host`, which is signed."""

    def __str__(self) -> str:
        scheme = "wss" if self.target.is_secure else "ws"
        return f"{scheme}://{self.host}{self.target.path}"


def parse_arena_url(url: str, authority: Path | None = None) -> ArenaAddress:
    """Return the address in a URL; TLS trusts the certificate `authority`, if given.

    Raises ArenaURLError, also for a certificate without TLS.
    """
    parts, port = _parts(url)
    scheme = SCHEMES.get(parts.scheme.lower())
    if scheme is None or not parts.hostname:
        hint = "" if "://" in url or not url else f"; did you mean 'wss://{one_line(url)}'?"
        raise _wrong(url, f"expected wss://HOST, as in wss://arena.example.org{hint}")
    if parts.username is not None or parts.query or parts.fragment:
        raise _wrong(url, "expected no user, no '?' and no '#'")
    if not (url.isascii() and url.isprintable() and " " not in url):
        raise _wrong(url, "expected ASCII without spaces; write the host's name in punycode")
    if not is_host(parts.hostname):
        raise _wrong(url, f"no host is called {parts.hostname!r}")
    if authority is not None and scheme != "wss":
        place = f"{parts.netloc}{parts.path}"
        raise ArenaURLError(f"{url!r} is not encrypted: --ca goes with wss://{place}")
    address = BridgeAddress(parts.hostname, port or DEFAULT_PORTS[scheme])
    path = PATH if parts.path in ("", "/") else parts.path
    target = BridgeTarget(address, scheme == "wss", path, authority)
    return ArenaAddress(target, host_of(f"{scheme}://{parts.netloc}"))


def _parts(url: str) -> tuple[SplitResult, int | None]:
    """Return the parts of a URL, and its port. Raises ArenaURLError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _wrong(url, str(error)) from None
    if port == 0:
        raise _wrong(url, "expected a port from 1 to 65535")
    return parts, port


def _wrong(url: str, why: str) -> ArenaURLError:
    return ArenaURLError(f"{one_line(url)!r} is not the address of an arena: {why}")
