"""One WebSocket: its outbox goes out, and its messages come in, both within bounds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import trio
from starlette.websockets import WebSocketDisconnect

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.websockets import WebSocket

    from interfaces.web.bounds import Bounds

GOING_AWAY = 1001
POLICY = 1008
FULL = 1013
UNREADABLE = "unreadable"


class Outbox:
    """Texts by kind. A newer text of a kind takes the place of an older one not yet fetched."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._arrived = trio.Event()
        self.closed = False

    def put(self, kind: str, text: str) -> None:
        """Leave a text."""
        self._waiting.pop(kind, None)
        self._waiting[kind] = text
        self._arrived.set()

    def close(self) -> None:
        """Nothing will come any more."""
        self.closed = True
        self._arrived.set()

    async def get(self) -> list[str]:
        """Wait for texts and take them all; none once the box is closed and empty."""
        while not self._waiting and not self.closed:
            self._arrived = trio.Event()
            await self._arrived.wait()
        texts = list(self._waiting.values())
        self._waiting.clear()
        return texts


class RateLimit:
    """How many messages may come: a bucket that fills with time. Pure; time is given."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst, self._left, self._since = rate, burst, float(burst), now

    def spend(self, now: float) -> bool:
        """Take one message off; whether it was within bounds."""
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        self._left -= 1
        return self._left >= 0


async def serve_websocket(
    websocket: WebSocket,
    outbox: Outbox,
    bounds: Bounds,
    hear: Callable[[dict[str, Any]], None],
) -> None:
    """Serve an accepted WebSocket until either side closes it.

    `hear` gets each message that is a JSON object; any other closes the WebSocket, as do messages
    that come too fast.
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
                # It is gone, or the reader has closed it.
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(write)
        reason = await _listen(websocket, bounds, hear)
        nursery.cancel_scope.cancel()
    if reason:
        with trio.move_on_after(1):
            try:
                await websocket.close(POLICY, reason)
            except (WebSocketDisconnect, RuntimeError, OSError):
                return


async def _listen(
    websocket: WebSocket, bounds: Bounds, hear: Callable[[dict[str, Any]], None]
) -> str:
    """Hand on messages; why the WebSocket is to be closed, or nothing if it is."""
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
    """The JSON object that a text is; None if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
