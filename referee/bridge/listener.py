"""The engine's end of a bridge: each session gets a process, and bytes go both ways.

In version 2 of the handshake a session ends with its connection. In version 3 it survives without
one for a while, and continues over another that proves the session's secret.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeAddress, BridgeError, is_loopback, resolve
from oddly.referee.bridge.handshake import RESUMABLE, Nonces, SessionSecret
from oddly.referee.bridge.relay import BridgeLimits, Relay, Stranger, StrangerLog, Strangers
from oddly.referee.bridge.session import BridgeSession, TakenOver
from oddly.referee.bridge.websocket import (
    ConnectionEnd,
    SealedChannel,
    accepted,
    hear,
    say,
    version_of,
)
from oddly.referee.justice.outcome import EngineFault, VoidGame
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Sequence

    from trio_websocket import WebSocketConnection


FAREWELL = 1.0
"""Seconds for sending a refusal."""


class Listener:
    """Runs `command` for each session whose connecting end proves `token`.

    `tell` gets a line about each session. When a session ends, its engine and the engine's process
    group are stopped; when an engine ends, so does its session.
    """

    def __init__(
        self,
        command: Sequence[str],
        token: bytes = b"",
        limits: BridgeLimits | None = None,
        tell: Callable[[str], None] = lambda _: None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._command = command
        self._token = token
        self._limits = limits or BridgeLimits()
        self._tell = tell
        self._tls = tls
        self._strangers = Strangers(self._limits)
        self._log = StrangerLog(tell)
        self._sessions = 0
        self._resumable: dict[str, BridgeSession] = {}
        self._engines: trio.Nursery | None = None

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Serve connections until cancelled."""
        places = [BridgeAddress(*listener.socket.getsockname()[:2]) for listener in listeners]
        self._tell(f"listening on {', '.join(map(str, places))}")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._log.keep_telling)
            self._engines = nursery
            try:
                await trio.serve_listeners(self.attend, listeners)
            finally:
                self._log.tell_rest()

    async def attend(self, stream: trio.SocketStream) -> None:
        """Serve one connection from its first byte to its end."""
        try:
            host, port = stream.socket.getpeername()[:2]
        except OSError:
            # The connection is gone already.
            await trio.aclose_forcefully(stream)
            return
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_KEEPALIVE, 1)
        visitor = _Visitor(host, port)
        try:
            await self._serve_visitor(stream, visitor)
        except BridgeError as error:
            if not visitor.is_admitted:
                self._log.note(host, port, str(error))
        finally:
            await trio.aclose_forcefully(stream)

    async def _serve_visitor(self, stream: trio.SocketStream, visitor: _Visitor) -> None:
        """Shake hands, then run an engine or resume a session.

        Raises BridgeError if it can do neither.
        """
        with self._strangers.admitted(visitor.host) as stranger, stranger.scope:
            stranger.scope.deadline = trio.current_time() + self._limits.handshake
            async with accepted(self._secured(stream)) as websocket:
                try:
                    guest = await self._shake_hands(websocket, stranger)
                    stranger.scope.deadline = math.inf
                    self._strangers.know(stranger)
                    await self._attend_guest(guest, visitor)
                except BridgeError as error:
                    with trio.move_on_after(FAREWELL), suppress(BridgeError):
                        await say(websocket, f"{handshake.ERROR}{error}")
                    raise
        if stranger.scope.cancelled_caught:
            raise BridgeError(
                "its place was taken by a newer connection"
                if trio.current_time() < stranger.scope.deadline
                else f"no handshake within {self._limits.handshake:g} s"
            )

    def _secured(self, stream: trio.SocketStream) -> trio.abc.Stream:
        if self._tls is None:
            return stream
        return trio.SSLStream(stream, self._tls, server_side=True, https_compatible=True)

    async def _shake_hands(self, websocket: WebSocketConnection, stranger: Stranger) -> _Guest:
        """Prove the token, and check the other end's proofs. Raises BridgeError if one is wrong."""
        version = version_of(websocket)
        stranger.steps += 1
        nonces = Nonces(handshake.nonce_in(await hear(websocket)), handshake.new_nonce())
        stranger.steps += 1
        proof = handshake.prove(self._token, "listener", nonces, version)
        await say(websocket, handshake.hello(nonces.listener, proof))
        message, resumption = await hear(websocket), None
        if version == RESUMABLE:
            message, resumption = handshake.parted(message)
        if not handshake.is_proof(message, self._token, nonces, version):
            raise BridgeError("wrong token")
        if resumption is not None:
            session = self._resumable.get(resumption.name)
            if session is None or session.is_over:
                raise BridgeError("no such session: it is over, or the listener was restarted")
            if not resumption.proves(session.secret, nonces):
                raise BridgeError("wrong proof of the session")
            return _Guest(_sealed(websocket, session.secret.key, nonces, version), session)
        secret = SessionSecret.of(self._token, nonces) if version == RESUMABLE else None
        return _Guest(_sealed(websocket, self._token, nonces, version), secret=secret)

    async def _attend_guest(self, guest: _Guest, visitor: _Visitor) -> None:
        """Run an engine for a new session, or resume an earlier one. Raises BridgeError."""
        channel, session, secret = guest
        if session is not None:
            visitor.is_admitted = True
            self._tell(f"{visitor}: goes on with the session {session}")
            await self._join(channel, session)
        elif secret is None:
            engine = await self._start_engine(visitor)
            await self._run(engine, channel, str(visitor))
        elif self._engines is not None:
            engine = await self._start_engine(visitor)
            session = BridgeSession(secret, self._limits.stall, str(visitor))
            self._resumable[secret.name] = session
            self._engines.start_soon(self._run, engine, session, str(visitor))
            await self._join(channel, session)

    async def _join(self, channel: SealedChannel, session: BridgeSession) -> None:
        """Confirm the handshake, and carry the bytes of a session until the connection ends."""
        session.is_deserted = False
        try:
            await channel.say_ok()
            await session.carry(channel)
        except TakenOver:
            return
        except ConnectionEnd as error:
            # If this one broke before it took over, an earlier connection may go on.
            if session.away_since is not None and not session.is_over:
                session.is_deserted = True
                away = f"the engine runs on for {self._limits.away:g} s without a connection"
                self._tell(f"{session}: {error}; {away}")
        except BridgeError as error:
            session.end(error)
            await session.forgotten.wait()

    async def _make_room(self) -> None:
        """End deserted sessions if too many engines run. Raises BridgeError if none is deserted."""
        while self._sessions >= self._limits.sessions:
            away = [session for session in self._resumable.values() if session.is_deserted]
            if not away:
                raise BridgeError(f"busy: {self._limits.sessions} engines are running")
            longest = min(away, key=lambda session: session.away_since or 0)
            longest.end(BridgeError("a newer session took its place while it was away"))
            await longest.forgotten.wait()

    async def _start_engine(self, visitor: _Visitor) -> EngineProcess:
        """Start an engine, and count it.

        Raises BridgeError if it does not start, or too many run.
        """
        await self._make_room()
        try:
            engine = EngineProcess.start(self._command, self._limits.stderr)
        except (EngineFault, VoidGame) as fault:
            self._tell(fault.reason)
            raise BridgeError("the engine did not start") from None
        self._sessions += 1
        visitor.is_admitted = True
        return engine

    async def _run(
        self, engine: EngineProcess, channel: SealedChannel | BridgeSession, visitor: str
    ) -> None:
        """Carry an engine's bytes until the session ends, and log why."""
        began = trio.current_time()
        self._tell(f"{visitor}: began")
        try:
            ended = await Relay(channel, engine, self._limits).run()
        finally:
            self._sessions -= 1
            if isinstance(channel, BridgeSession):
                self._resumable.pop(channel.secret.name)
                channel.end()
                channel.forgotten.set()
        self._tell(f"{visitor}: ended after {trio.current_time() - began:.1f} s: {ended}")


class _Visitor:
    """A connection's origin, and whether it got an engine."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.is_admitted = False
        self._text = str(BridgeAddress(host, port))

    def __str__(self) -> str:
        return self._text


class _Guest(NamedTuple):
    """A connecting end that has shaken hands."""

    channel: SealedChannel
    session: BridgeSession | None = None
    """The session that it resumes."""
    secret: SessionSecret | None = None
    """The secret of a new session of version 3."""


def _sealed(
    websocket: WebSocketConnection, key: bytes, nonces: Nonces, version: int
) -> SealedChannel:
    """Return the channel on a WebSocket whose handshake is done."""
    sending, receiving = (
        handshake.session_key(key, role, nonces, version) for role in ("listener", "connector")
    )
    return SealedChannel(websocket, sending, receiving)


async def open_listeners(address: BridgeAddress, *, has_token: bool) -> list[trio.SocketListener]:
    """Listen on `address` and return the listeners.

    Raises BridgeError if that fails, or if other machines could connect without a token.
    """
    open_to_others = [number for number in resolve(address) if not is_loopback(number)]
    if open_to_others and not has_token:
        raise BridgeError(
            f"{address} can be reached from other machines: expected a token (--token-file FILE), "
            "or an address of this machine alone, such as localhost"
        )
    try:
        return list(await trio.open_tcp_listeners(address.port, host=address.host))
    except OSError as error:
        raise BridgeError(f"cannot listen on {address}: {error.strerror or error}") from None
