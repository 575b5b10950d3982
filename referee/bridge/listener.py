"""The engine's end of a bridge: each connection gets a process, and bytes go both ways."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeAddress, BridgeError, is_loopback, resolve
from oddly.referee.bridge.limits import BridgeLimits, LineMeter, StrangerLog, Strangers
from oddly.referee.bridge.websocket import ConnectionEnd, SealedChannel, accepted, hear, say
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Sequence

    from trio_websocket import WebSocketConnection

    from oddly.referee.bridge.limits import Stranger
    from oddly.referee.program.limits import Resources


FAREWELL = 1.0
"""Seconds for sending a refusal."""


class Listener:
    """Runs `command` for each connection that proves `token`.

    `tell` gets a line about each connection. When a connection ends, its engine and the engine's
    process group are stopped; when an engine ends, its connection is closed.
    """

    def __init__(
        self,
        command: Sequence[str],
        token: bytes = b"",
        limits: BridgeLimits | None = None,
        tell: Callable[[str], None] = lambda _: None,
        resources: Resources | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._command = command
        self._token = token
        self._limits = limits or BridgeLimits()
        self._tell = tell
        self._resources = resources
        self._tls = tls
        self._strangers = Strangers(self._limits)
        self._log = StrangerLog(tell)
        self._sessions = 0

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Serve connections until cancelled."""
        places = [BridgeAddress(*listener.socket.getsockname()[:2]) for listener in listeners]
        self._tell(f"listening on {', '.join(map(str, places))}")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._log.keep_telling)
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
        began = trio.current_time()
        session = _Session(host, port)
        try:
            await self._serve_session(stream, session)
        except BridgeError as error:
            session.ended = str(error)
        finally:
            await trio.aclose_forcefully(stream)
        if session.has_begun:
            spent = trio.current_time() - began
            self._tell(f"{session}: ended after {spent:.1f} s: {session.ended}")
        else:
            self._log.note(host, port, session.ended)

    async def _serve_session(self, stream: trio.SocketStream, session: _Session) -> None:
        """Shake hands and run the engine. Raises BridgeError."""
        with self._strangers.admitted(session.host) as stranger, stranger.scope:
            stranger.scope.deadline = trio.current_time() + self._limits.handshake
            async with accepted(self._secured(stream)) as websocket:
                try:
                    channel = await self._shake_hands(websocket, stranger)
                    stranger.scope.deadline = math.inf
                    self._strangers.know(stranger)
                    await self._run_engine(channel, session)
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

    async def _shake_hands(
        self, websocket: WebSocketConnection, stranger: Stranger
    ) -> SealedChannel:
        """Prove the token, and check the other end's proof. Raises BridgeError if that fails."""
        stranger.steps += 1
        nonces = handshake.Nonces(handshake.nonce_in(await hear(websocket)), handshake.new_nonce())
        stranger.steps += 1
        proof = handshake.prove(self._token, "listener", nonces)
        await say(websocket, handshake.hello(nonces.listener, proof))
        if not handshake.is_proof(await hear(websocket), self._token, nonces):
            raise BridgeError("wrong token")
        sending, receiving = (
            handshake.session_key(self._token, role, nonces) for role in ("listener", "connector")
        )
        return SealedChannel(websocket, sending, receiving)

    async def _run_engine(self, channel: SealedChannel, session: _Session) -> None:
        """Run the engine. Raises BridgeError if it does not start, or too many run."""
        if self._sessions >= self._limits.sessions:
            raise BridgeError(f"busy: {self._limits.sessions} engines are running")
        try:
            engine = EngineProcess.start(self._command, self._limits.stderr, self._resources)
        except EngineFault as fault:
            self._tell(fault.reason)
            raise BridgeError("the engine did not start") from None
        self._sessions += 1
        session.has_begun = True
        self._tell(f"{session}: began")
        try:
            session.ended = await Relay(channel, engine, self._limits).run()
        finally:
            self._sessions -= 1


class _Session:
    """A connection as the log describes it."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self.has_begun = False
        self.ended = ""

    def __str__(self) -> str:
        return str(BridgeAddress(self.host, self.port))


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


MAX_LAST_WORDS = 200
"""Bytes of the engine's standard error that are reported."""


class Relay:
    """Carries bytes between a running engine and a connection that has proved the token."""

    def __init__(self, channel: SealedChannel, engine: EngineProcess, limits: BridgeLimits) -> None:
        self._channel = channel
        self._engine = engine
        self._limits = limits
        self._scope = trio.CancelScope()
        self._why = f"nothing was said for {limits.idle:g} s"
        self._heard_all = trio.Event()

    async def run(self) -> str:
        """Confirm the handshake and carry bytes.

        Returns why the session ended, once the engine and all that it started are gone.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._attend)
            try:
                with self._scope:
                    self._stay()
                    async with trio.open_nursery() as ways:
                        ways.start_soon(self._inwards)
                        ways.start_soon(self._outwards)
            finally:
                with trio.CancelScope(shield=True):
                    await self._engine.stop(self._limits.grace)
                nursery.cancel_scope.cancel()
        return self._why

    async def _attend(self) -> None:
        await self._engine.attend()
        self._heard_all.set()

    async def _inwards(self) -> None:
        """Copy from the connection to the engine, and bound the length of lines."""
        meter = LineMeter()
        try:
            while data := await self._channel.receive():
                self._stay()
                meter.feed(data)
                try:
                    await self._engine.send(data)
                except OSError:
                    # The engine closed its input, but more output may follow.
                    pass
        except ConnectionEnd as error:
            await self._end_input(str(error))
        except BridgeError as error:
            self._end(str(error))
        else:
            await self._end_input("the other side ended its input")

    async def _end_input(self, why: str) -> None:
        """Let the engine see the end of its input, and give it a moment to end."""
        self._engine.close_input()
        await trio.sleep(self._limits.grace)
        self._end(why)

    async def _outwards(self) -> None:
        """Copy from the engine to the connection, which must read in time."""
        try:
            await self._channel.say_ok()
            while data := await self._engine.receive():
                with trio.fail_after(self._limits.stall):
                    await self._channel.send(data)
                self._stay()
        except trio.TooSlowError:
            self._end(f"the other side read nothing for {self._limits.stall:g} s")
        except BridgeError as error:
            self._end(str(error))
        else:
            self._end(await self._last_words())

    async def _last_words(self) -> str:
        """Return how the engine ended, and the end of its standard error."""
        ended = f"the engine {await self._engine.how_it_ended(self._limits.grace)}"
        with trio.move_on_after(self._limits.grace):
            await self._heard_all.wait()
        said = one_line(bytes(self._engine.stderr_tail[-MAX_LAST_WORDS:]).strip())
        return f"{ended}; it had said: {said}" if said else ended

    def _stay(self) -> None:
        """Restart the time without a byte."""
        self._scope.deadline = trio.current_time() + self._limits.idle

    def _end(self, why: str) -> None:
        """End the session, unless it has ended for another reason."""
        if not self._scope.cancel_called:
            self._why = why
            self._scope.cancel()
