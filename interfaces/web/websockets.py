"""One WebSocket: its outbox goes out, and its messages come in, both within bounds.

Their number is bounded: when all places are taken, the address with most gives one up for another.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import trio
from starlette.websockets import WebSocket, WebSocketDisconnect

from oddly.interfaces.serving.applications import RateLimit
from oddly.interfaces.web.bounds import gives_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.interfaces.web.bounds import Bounds


GOING_AWAY = 1001
POLICY = 1008
FULL = 1013
UNREADABLE = "unreadable"
BEAT = 20
"""Seconds between two messages that say that the connection lives."""
ALIVE = json.dumps({"kind": "alive"})


class Outbox:
    """Texts to send. A newer text replaces an older one of its kind that still waits."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._arrived = trio.Event()
        self.closed = False

    def put(self, kind: str, text: str) -> None:
        """Add a text."""
        self._waiting.pop(kind, None)
        self._waiting[kind] = text
        self._arrived.set()

    def close(self) -> None:
        """Close the outbox; what waits can still be taken."""
        self.closed = True
        self._arrived.set()

    async def get(self) -> list[str]:
        """Wait for texts and take them all. Returns none once the outbox is closed and empty."""
        while not self._waiting and not self.closed:
            self._arrived = trio.Event()
            await self._arrived.wait()
        texts = list(self._waiting.values())
        self._waiting.clear()
        return texts


async def serve_websocket(
    websocket: WebSocket,
    outbox: Outbox,
    bounds: Bounds,
    hear: Callable[[dict[str, Any]], None],
) -> None:
    """Serve an accepted WebSocket until either side closes it.

    `hear` gets each message, a JSON object. Any other message closes the WebSocket, and so do
    messages that arrive too fast.
    """
    reason = ""
    async with trio.open_nursery() as nursery:

        async def write() -> None:
            try:
                while texts := await outbox.get():
                    for text in texts:
                        await websocket.send_text(text)
                await websocket.close(GOING_AWAY)
            except (WebSocketDisconnect, RuntimeError, OSError):
                # The browser is gone, or the reader closed the WebSocket.
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(write)
        nursery.start_soon(_beat, outbox)
        reason = await _listen(websocket, bounds, hear)
        nursery.cancel_scope.cancel()
    if reason:
        with trio.move_on_after(1):
            try:
                await websocket.close(POLICY, reason)
            except (WebSocketDisconnect, RuntimeError, OSError):
                return


async def _beat(outbox: Outbox) -> None:
    """Say now and then that the connection lives: scripts of a page see no pings."""
    while True:
        await trio.sleep(BEAT)
        outbox.put("alive", ALIVE)


async def _listen(
    websocket: WebSocket, bounds: Bounds, hear: Callable[[dict[str, Any]], None]
) -> str:
    """Pass messages on. Returns why to close the WebSocket; nothing if it is closed."""
    allowance = RateLimit(bounds.rate, bounds.burst, trio.current_time())
    while True:
        event = await websocket.receive()
        if event["type"] == "websocket.disconnect":
            return ""
        text = event.get("text")
        if not allowance.spend(trio.current_time()):
            return "too many messages"
        if text is None or len(text) > bounds.message:
            return "one JSON object a message, as short text"
        message = read_object(text)
        if message is None:
            return "not a JSON object"
        hear(message)


def read_object(text: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object in a text, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class Places:
    """A number of places, each held by an address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[trio.CancelScope, str] = {}

    @contextmanager
    def take(self, address: str) -> Iterator[trio.CancelScope | None]:
        """Take a place for the body, cancelled to give it up; yield None if all are taken."""
        if len(self._taken) >= self._most:
            spare = gives_way(self._taken, address)
            if spare is None:
                yield None
                return
            del self._taken[spare]
            spare.cancel()
        with trio.CancelScope() as place:
            self._taken[place] = address
            try:
                yield place
            finally:
                self._taken.pop(place, None)


async def send_away(websocket: WebSocket, place: trio.CancelScope) -> None:
    """Close the WebSocket of a browser that had to give up its place."""
    if place.cancelled_caught:
        with trio.move_on_after(1), suppress(WebSocketDisconnect, RuntimeError, OSError):
            await websocket.close(FULL, "Others had no place.")
