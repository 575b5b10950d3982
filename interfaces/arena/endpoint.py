"""The WebSocket to which engines' sides dial: bounded before anything is parsed."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import trio

from oddly.arena import (
    MAX_FROM_ENGINE,
    SUBPROTOCOL,
    JoinRefused,
    WireError,
    limits,
    parse_from_engine,
)
from oddly.interfaces.arena.engine_socket import EngineSocket
from oddly.interfaces.serving.upgraded_stream import upgraded
from oddly.interfaces.serving.visitors import RateLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.websockets import WebSocket

    from oddly.arena import Message

POLICY, RESTART = 1008, 1012
RATE, BURST = 200.0, 400
"""Messages a second from one connection: two of the quickest engines need no more."""


class Addresses:
    """How many connections there are, in all and from each address."""

    def __init__(self, in_all: int, from_one: int) -> None:
        self._in_all, self._from_one = in_all, from_one
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_from(self, address: str) -> Iterator[str]:
        """Count a connection while the block runs; yield why it is refused, or nothing."""
        reason = ""
        if self._open.total() >= self._in_all:
            reason = f"{self._in_all} connections are open: there may be no more"
        elif self._open[address] >= self._from_one and not limits.is_here(address):
            reason = f"{self._from_one} connections of {address} are open: there may be no more"
        self._open[address] += 1
        try:
            yield reason
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


class Dialled(Protocol):
    """Handles the connections of engines' sides."""

    def open(self, address: str, host: str, socket: EngineSocket) -> int:
        """Begin a session; return its number."""

    def excess(self, session: int, size: int) -> str:
        """Count bytes; return why they are too many, or nothing."""

    def hear(self, session: int, message: Message) -> None:
        """Handle a message."""

    def refuse(self, session: int, code: str, reason: str, again: float | None) -> None:
        """Refuse a session."""

    def closed(self, session: int) -> None:
        """Note that a connection is gone."""


class Endpoint:
    """Serves the connections of engines' sides."""

    def __init__(self, dialled: Dialled, addresses: Addresses) -> None:
        self._dialled = dialled
        self._addresses = addresses

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one connection until either side closes it."""
        offered = websocket.scope.get("subprotocols", [])
        if "origin" in websocket.headers or SUBPROTOCOL not in offered:
            # A web page, or no client of this version: HTTP 403.
            await websocket.close(POLICY)
            return
        client = websocket.client
        address, host = "" if client is None else client.host, websocket.headers.get("host", "")
        stream = upgraded(websocket.scope)
        stream.take()
        try:
            await websocket.accept(SUBPROTOCOL)
            with self._addresses.one_from(address) as refused:
                await self._converse(EngineSocket(stream), address, host, refused)
        finally:
            stream.give_back()

    async def _converse(self, socket: EngineSocket, address: str, host: str, refused: str) -> None:
        if refused:
            socket.put(JoinRefused("too-many", refused, limits.AGAIN).encoded())
            socket.close(POLICY)
            await socket.converse(lambda _: None)
            return
        session = self._dialled.open(address, host, socket)
        try:
            await socket.converse(_Listener(self._dialled, session).hear)
        finally:
            self._dialled.closed(session)


class _Listener:
    """Passes messages of a session on, as far as they are within bounds."""

    def __init__(self, dialled: Dialled, session: int) -> None:
        self._dialled = dialled
        self._session = session
        self._allowance = RateLimit(RATE, BURST, trio.current_time())
        self._is_refused = False

    def hear(self, data: bytes | None) -> None:
        """Pass a message on, or refuse the session; None is no text."""
        if self._is_refused:
            return
        if not self._allowance.spend(trio.current_time()):
            self._refuse("too-many", "too many messages a second", limits.AGAIN)
        elif data is None:
            reason = f"a message is expected to be text of at most {MAX_FROM_ENGINE} bytes"
            self._refuse("bad-message", reason)
        elif said := self._dialled.excess(self._session, len(data)):
            self._refuse("too-many", said, limits.AGAIN)
        else:
            try:
                message = parse_from_engine(data)
            except WireError as error:
                self._refuse("bad-message", str(error)[:400])
            else:
                self._dialled.hear(self._session, message)

    def _refuse(self, code: str, reason: str, again: float | None = None) -> None:
        self._is_refused = True
        self._dialled.refuse(self._session, code, reason, again)
