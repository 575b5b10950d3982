"""Places for WebSockets: who holds most of them gives one up where another has none."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import trio
from starlette.websockets import WebSocketDisconnect

from oddly.interfaces.web.fair_shares import gives_way
from oddly.interfaces.web.websockets import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.websockets import WebSocket


class Places:
    """A number of places, each held by an address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[trio.CancelScope, str] = {}

    def __len__(self) -> int:
        return len(self._taken)

    @contextmanager
    def take(self, address: str) -> Iterator[trio.CancelScope | None]:
        """Give a place to the body, which is cancelled to give it up; None if all are taken."""
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
