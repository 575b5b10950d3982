"""The engine's end of a bridge: each connection gets a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from referee.bridge import handshake
from referee.bridge.address import BridgeAddress, BridgeError, is_loopback, resolve
from referee.bridge.limits import BridgeLimits, LineReader
from referee.bridge.relay import Relay
from referee.fault import EngineFault
from referee.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.resources import Resources


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
    ) -> None:
        self._command = command
        self._token = token
        self._limits = limits or BridgeLimits()
        self._tell = tell
        self._resources = resources
        self._strangers = 0
        self._sessions = 0

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Serve connections until cancelled."""
        places = [BridgeAddress(*listener.socket.getsockname()[:2]) for listener in listeners]
        self._tell(f"listening on {', '.join(map(str, places))}")
        await trio.serve_listeners(self.attend, listeners)

    async def attend(self, stream: trio.SocketStream) -> None:
        """Serve one connection from its first byte to its end."""
        try:
            peer = str(BridgeAddress(*stream.socket.getpeername()[:2]))
        except OSError:
            # The connection is gone already.
            await trio.aclose_forcefully(stream)
            return
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_KEEPALIVE, 1)
        began = trio.current_time()
        try:
            reader = LineReader(stream, handshake.MAX_LINE_LENGTH)
            await self._admit(stream, reader)
            self._tell(f"{peer}: began")
            ended = await self._session(stream, reader.rest)
        except BridgeError as error:
            ended = str(error)
            await _refuse(stream, ended)
        await trio.aclose_forcefully(stream)
        self._tell(f"{peer}: ended after {trio.current_time() - began:.1f} s: {ended}")

    async def _admit(self, stream: trio.SocketStream, reader: LineReader) -> None:
        """Shake hands. Raises BridgeError without the token, or beyond a limit."""
        limits = self._limits
        if self._strangers >= limits.strangers:
            raise BridgeError("too many connections at once")
        self._strangers += 1
        try:
            with trio.fail_after(limits.handshake):
                nonce = handshake.new_nonce()
                await _say(stream, handshake.HELLO + nonce)
                if not handshake.is_proof(await reader.line(), self._token, nonce):
                    raise BridgeError("wrong token, or no oddly bridge")
        except trio.TooSlowError:
            raise BridgeError(f"no handshake within {limits.handshake:g} s") from None
        finally:
            self._strangers -= 1
        if self._sessions >= limits.sessions:
            raise BridgeError(f"busy: {limits.sessions} engines are running")

    async def _session(self, stream: trio.SocketStream, already: bytes) -> str:
        """Run the engine. Returns why the session ended. Raises BridgeError if it did not begin."""
        try:
            engine = EngineProcess.start(self._command, self._limits.stderr, self._resources)
        except EngineFault as fault:
            self._tell(fault.reason)
            raise BridgeError("the engine did not start") from None
        self._sessions += 1
        try:
            return await Relay(stream, engine, self._limits).run(already)
        finally:
            self._sessions -= 1


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


async def _refuse(stream: trio.SocketStream, why: str) -> None:
    """Send the reason of a refusal, if the connection still stands."""
    try:
        with trio.move_on_after(FAREWELL):
            await _say(stream, handshake.ERROR + why.encode())
    except BridgeError:
        return


async def _say(stream: trio.SocketStream, line: bytes) -> None:
    """Send a line of the handshake. Raises BridgeError if the connection broke."""
    try:
        await stream.send_all(line + b"\n")
    except trio.BrokenResourceError:
        raise BridgeError("the connection broke") from None
