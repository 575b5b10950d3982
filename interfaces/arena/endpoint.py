"""The WebSocket that engines' sides dial; limits apply before anything is parsed."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import trio
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol as FrameProtocol
from websockets.protocol import Side, State

from oddly.arena import (
    MAX_FROM_ENGINE,
    SUBPROTOCOL,
    JoinRefused,
    WireError,
    parse_from_engine,
    sessions,
)
from oddly.interfaces.serving.applications import RateLimit
from oddly.interfaces.serving.upgraded_stream import GONE, Outflow, UpgradedStream, upgraded

if TYPE_CHECKING:
    from starlette.websockets import WebSocket
    from websockets.protocol import Event

    from oddly.arena import Message
    from oddly.arena.sessions import Addresses


MAX_WAITING = 1 << 18
"""Bytes that may wait for a reader; a slower reader is cut off."""
FAREWELL = 2.0
"""Seconds in which the other side must take its last messages and close."""
DATA = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)


class Hearing(Protocol):
    """Hears what the other side of a WebSocket says, within bounds."""

    def admits(self, size: int, frames: int) -> bool:
        """Count what was read; return whether to hear it and read on."""

    def hear(self, data: bytes | None) -> None:
        """Handle a message; None stands for one that is not text."""


class EngineSocket:
    """A WebSocket that sends texts at once, as far as the connection takes them."""

    def __init__(self, stream: UpgradedStream) -> None:
        self._stream = stream
        self._frames = FrameProtocol(Side.SERVER, state=State.OPEN, max_size=MAX_FROM_ENGINE)
        self._outflow = Outflow(stream, MAX_WAITING)
        self._scope = trio.CancelScope()
        self.is_open = True
        """False once either side has closed it, or its reader was too slow."""
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

    async def converse(self, hearing: Hearing) -> None:
        """Pass on each message until the end, or until what was read is not admitted.

        In the latter case the socket must be closed: the conversation ends soon after that.
        """
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                while data := await self._stream.read():
                    self._frames.receive_data(data)
                    frames = self._frames.events_received()
                    if not hearing.admits(len(data), len(frames)):
                        # What is not read costs nothing. What was said last still goes out.
                        await trio.sleep_forever()
                    for frame in frames:
                        self._take(frame, hearing)
                    self._flush()
                self._scope.cancel()

    def _take(self, frame: Event, hearing: Hearing) -> None:
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
        hearing.hear(bytes(data) if self._is_text else None)

    def _flush(self) -> None:
        """Write at once what can be written; the rest waits."""
        data = b"".join(self._frames.data_to_send())
        if data and not self._outflow.put(data):
            self._scope.cancel()
            self.is_open = False
        if self._frames.state is not State.OPEN:
            self.is_open = False
            self._outflow.look()
            if self._scope.deadline == math.inf:
                self._scope.deadline = trio.current_time() + FAREWELL

    async def _write(self) -> None:
        """Write waiting bytes until both sides have closed."""
        with suppress(*GONE):
            await self._outflow.keep_writing(lambda: self._frames.close_rcvd is not None)
        self._scope.cancel()


POLICY, RESTART, AWAY = 1008, 1012, 1001
RATE, BURST = 200.0, 400
"""Frames a second from one connection: two of the quickest engines need no more."""
JOIN_WITHIN = 10.0
"""Seconds in which a connection has to join."""
LEAST = 64
"""The bytes that a frame counts as at least: a short one takes as long to read."""


class Dialled(Protocol):
    """Handles the connections of engines' sides."""

    def open(self, address: str, host: str, socket: EngineSocket) -> int:
        """Begin a session; return its number."""

    def excess(self, session: int, size: int) -> str:
        """Count bytes; return why they are too many, empty if they are not."""

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
            socket.put(JoinRefused("too-many", refused, sessions.AGAIN).encoded())
            socket.close(POLICY)
            await socket.converse(_Deaf())
            return
        session = self._dialled.open(address, host, socket)
        listener = _Listener(self._dialled, session)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(listener.await_join)
                await socket.converse(listener)
                nursery.cancel_scope.cancel()
        finally:
            self._dialled.closed(session)


class _Deaf:
    """Waits for the end of a refused connection."""

    def __init__(self) -> None:
        self._allowance = RateLimit(RATE, BURST, trio.current_time())

    def admits(self, size: int, frames: int) -> bool:
        return self._allowance.spend(trio.current_time(), frames)

    def hear(self, data: bytes | None) -> None:
        pass


class _Listener:
    """Passes on a session's messages as long as they are within bounds."""

    def __init__(self, dialled: Dialled, session: int) -> None:
        self._dialled = dialled
        self._session = session
        self._allowance = RateLimit(RATE, BURST, trio.current_time())
        self._is_refused = False
        self._is_heard = trio.Event()

    async def await_join(self) -> None:
        """Refuse the session if no message comes in time, which is real time.

        The first message joins or is refused.
        """
        with trio.move_on_after(JOIN_WITHIN):
            await self._is_heard.wait()
        if not self._is_heard.is_set():
            self._refuse("bad-message", f"join is expected within {JOIN_WITHIN:g} s", JOIN_WITHIN)

    def admits(self, size: int, frames: int) -> bool:
        """Count bytes and frames of any kind; refuse the session if they are too many."""
        said = "too many messages a second"
        if self._allowance.spend(trio.current_time(), frames):
            said = self._dialled.excess(self._session, max(size, LEAST * frames))
        if said:
            self._refuse("too-many", said, sessions.AGAIN)
        return not said

    def hear(self, data: bytes | None) -> None:
        """Pass a message on, or refuse the session."""
        self._is_heard.set()
        if self._is_refused:
            return
        if data is None:
            reason = f"a message is expected to be text of at most {MAX_FROM_ENGINE} bytes"
            self._refuse("bad-message", reason)
            return
        try:
            message = parse_from_engine(data)
        except WireError as error:
            self._refuse("bad-message", str(error)[:400])
        else:
            self._dialled.hear(self._session, message)

    def _refuse(self, code: str, reason: str, again: float | None = None) -> None:
        self._is_refused = True
        self._dialled.refuse(self._session, code, reason, again)
