"""What is to be sent to a browser: the newest of each kind, so that slow ones cost no memory."""

from __future__ import annotations

import trio


class Mailbox:
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
