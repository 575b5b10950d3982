"""The socket between two of our processes, which carries whole messages."""

from __future__ import annotations

import pickle
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from oddly.tournaments.referees.messages import Message

HEAD = 4
"""Bytes before each message that say how long it is."""
CHUNK = 1 << 16
MAX_FAREWELL = 1.0
"""Seconds that the last words of a process may take."""


class Link:
    """One end of the socket. `write` runs as a task for as long as messages are sent."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = trio.SocketStream(trio.socket.from_stdlib_socket(connection))
        self._unwritten = bytearray()
        self._has_more = trio.Event()
        self._unread = bytearray()

    def send(self, message: Message) -> None:
        """Queue a message to be written as soon as there is room. This never waits."""
        self._unwritten += framed(message)
        self._has_more.set()

    def send_now(self, message: Message) -> None:
        """Write a message and what waits before it, as far as there is room. This never waits."""
        with suppress(OSError):
            self._connection.send(self._unwritten + framed(message), socket.MSG_DONTWAIT)

    async def write(self) -> None:
        """Write what is sent, until cancelled or until nobody reads it."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                await self._has_more.wait()
                self._has_more = trio.Event()
                while self._unwritten:
                    data = bytes(self._unwritten)
                    self._unwritten.clear()
                    await self._stream.send_all(data)

    async def receive(self) -> Message | None:
        """Wait for a message; None at the end."""
        while (message := self._next()) is None:
            try:
                data = await self._stream.receive_some(CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not data:
                return None
            self._unread += data
        return message

    def _next(self) -> Message | None:
        """Return the first complete message."""
        size = int.from_bytes(self._unread[:HEAD], "big") + HEAD
        if len(self._unread) < max(HEAD, size):
            return None
        message: Message = pickle.loads(self._unread[HEAD:size])  # noqa: S301 - we wrote it
        del self._unread[:size]
        return message


def framed(message: Message) -> bytes:
    """Return a message as it goes through the socket."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEAD, "big") + data
