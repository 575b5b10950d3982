"""The WebSocket to which engines' sides dial: bounded before anything is parsed."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import trio
from starlette.websockets import WebSocketDisconnect

from oddly.arena import (
    MAX_FROM_ENGINE,
    SUBPROTOCOL,
    JoinRefused,
    WireError,
    limits,
    parse_from_engine,
)
from oddly.interfaces.serving.rate_limit import RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.websockets import WebSocket

    from oddly.arena import Message

NORMAL, POLICY, TOO_LONG, RESTART = 1000, 1008, 1009, 1012
RATE, BURST = 200.0, 400
"""Messages a second from one connection: two of the quickest engines need no more."""
MAX_WAITING = 1 << 18
"""The maximum of characters that wait for a reader; a slower reader is cut off."""
FAREWELL = 2.0
"""Seconds in which a connection must take its last messages."""

CLOSED = (WebSocketDisconnect, RuntimeError, OSError, trio.BrokenResourceError)
"""The errors of sending on a connection that is gone."""


class Mailbox:
    """The texts that wait for one connection."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque()
        self._size = 0
        self._changed = trio.Event()
        self.code: int | None = None
        """The code with which to close the connection after the texts; None to go on."""
        self.is_stuck = False
        """Whether the reader is too slow."""
        self.give_up: Callable[[], None] = lambda: None
        """Ends the connection of a reader that is too slow."""

    def put(self, text: str) -> None:
        """Add a text, unless the connection is over or its reader is too slow."""
        if self.code is not None or self.is_stuck:
            return
        self._texts.append(text)
        self._size += len(text)
        if self._size > MAX_WAITING:
            self.is_stuck = True
            self._texts.clear()
            self.give_up()
        self._changed.set()

    def close(self, code: int) -> None:
        """Accept no more texts."""
        if self.code is None:
            self.code = code
            self._changed.set()

    async def next(self) -> str | None:
        """Wait for the next text. Returns None when the mailbox is closed and empty, or stuck."""
        while not (self._texts or self.code is not None or self.is_stuck):
            self._changed = trio.Event()
            await self._changed.wait()
        if self.is_stuck or not self._texts:
            return None
        text = self._texts.popleft()
        self._size -= len(text)
        return text


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

    def open(self, address: str, host: str, mailbox: Mailbox) -> int:
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
        address = "" if client is None else client.host
        with self._addresses.one_from(address) as refused:
            await websocket.accept(SUBPROTOCOL)
            if refused:
                with trio.move_on_after(FAREWELL):
                    await _say(websocket, JoinRefused("too-many", refused, limits.AGAIN).encoded())
                    await _close(websocket, POLICY)
                return
            mailbox = Mailbox()
            session = self._dialled.open(address, websocket.headers.get("host", ""), mailbox)
            try:
                await self._converse(websocket, session, mailbox)
            finally:
                self._dialled.closed(session)

    async def _converse(self, websocket: WebSocket, session: int, mailbox: Mailbox) -> None:
        async with trio.open_nursery() as nursery:
            mailbox.give_up = nursery.cancel_scope.cancel

            async def write() -> None:
                while (text := await mailbox.next()) is not None:
                    if not await _say(websocket, text):
                        break
                if mailbox.code is not None and not mailbox.is_stuck:
                    with trio.move_on_after(FAREWELL):
                        await _close(websocket, mailbox.code)
                nursery.cancel_scope.cancel()

            nursery.start_soon(write)
            if await self._listen(websocket, session):
                # The last messages are still to be sent.
                with trio.move_on_after(FAREWELL):
                    await trio.sleep_forever()
            nursery.cancel_scope.cancel()

    async def _listen(self, websocket: WebSocket, session: int) -> bool:
        """Pass messages on. Returns whether the connection is still open."""
        allowance = RateLimit(RATE, BURST, trio.current_time())
        while True:
            event = await websocket.receive()
            if event["type"] == "websocket.disconnect":
                return False
            text = event.get("text")
            if not allowance.spend(trio.current_time()):
                self._dialled.refuse(
                    session, "too-many", "too many messages a second", limits.AGAIN
                )
                return True
            if text is None or len(text) > MAX_FROM_ENGINE:
                reason = f"a message is expected to be text of at most {MAX_FROM_ENGINE} bytes"
                self._dialled.refuse(session, "bad-message", reason, None)
                return True
            if said := self._dialled.excess(session, len(text)):
                self._dialled.refuse(session, "too-many", said, limits.AGAIN)
                return True
            try:
                message = parse_from_engine(text)
            except WireError as error:
                self._dialled.refuse(session, "bad-message", str(error)[:400], None)
                return True
            self._dialled.hear(session, message)


async def _say(websocket: WebSocket, text: str) -> bool:
    """Send a text; return whether the connection is still open."""
    try:
        await websocket.send_text(text)
    except CLOSED:
        return False
    return True


async def _close(websocket: WebSocket, code: int) -> None:
    try:
        await websocket.close(code)
    except CLOSED:
        return
