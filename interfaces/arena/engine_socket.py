"""The WebSocket of an engine's side, over the bytes of its connection."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import trio
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from oddly.arena import MAX_FROM_ENGINE
from oddly.interfaces.serving.upgraded_stream import GONE, Outflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.protocol import Event

    from oddly.interfaces.serving.upgraded_stream import UpgradedStream

    Hear = Callable[[bytes | None], None]

MAX_WAITING = 1 << 18
"""The maximum of bytes that wait for a reader; a slower reader is cut off."""
FAREWELL = 2.0
"""Seconds in which the other side must take its last messages and close."""
DATA = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)


class EngineSocket:
    """A WebSocket whose texts go out at once as far as the connection takes them."""

    def __init__(self, stream: UpgradedStream) -> None:
        self._stream = stream
        self._frames = Protocol(Side.SERVER, state=State.OPEN, max_size=MAX_FROM_ENGINE)
        self._outflow = Outflow(stream, MAX_WAITING)
        self._scope = trio.CancelScope()
        self.is_open = True
        """Whether nobody has closed it, and its reader is not too slow."""
        self._is_text = True
        self._part = bytearray()
        """The beginning of a message in several frames."""

    def put(self, text: str) -> None:
        """Send a text, unless the socket is closed."""
        if self.is_open:
            self._frames.send_text(text.encode())
            self._flush()

    def close(self, code: int) -> None:
        """Send no more texts, and end the conversation soon."""
        if self.is_open:
            self._frames.send_close(code)
            self._flush()

    async def converse(self, hear: Hear) -> None:
        """Hand each message to `hear` until the end; one that is no text is None."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                while data := await self._stream.read():
                    self._frames.receive_data(data)
                    for event in self._frames.events_received():
                        self._take(event, hear)
                    self._flush()
                self._scope.cancel()

    def _take(self, frame: Event, hear: Hear) -> None:
        if not isinstance(frame, Frame) or frame.opcode not in DATA or not self.is_open:
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        data = frame.data
        if self._part or not frame.fin:
            self._part += data
            if not frame.fin:
                return
            data, self._part = bytes(self._part), bytearray()
        hear(bytes(data) if self._is_text else None)

    def _flush(self) -> None:
        """Write at once what can be written; the rest waits."""
        data = b"".join(self._frames.data_to_send())
        if data and not self._outflow.put(data):
            self._scope.cancel()
            self.is_open = False
        if self._frames.state is not State.OPEN and self._scope.deadline == math.inf:
            self.is_open = False
            self._scope.deadline = trio.current_time() + FAREWELL
            self._outflow.look()

    async def _write(self) -> None:
        """Write what waits. Once both sides have closed, end."""
        with suppress(*GONE):
            await self._outflow.keep_writing(lambda: self._frames.close_rcvd is not None)
        self._scope.cancel()
