"""The end of a bridge where the engine runs: each connection gets a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import trio

from referee.bridge import handshake
from referee.bridge.address import Address, BridgeError, is_loopback, resolve
from referee.bridge.bounded_lines import LineMeter, LineReader
from referee.fault import EngineFault, printable
from referee.process import CHUNK, EngineProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.resources import Resources


@dataclass(frozen=True)
class BridgeLimits:
    """What a listener bears. Times in seconds, sizes in bytes."""

    sessions: int = 16
    """Engines that run at once."""
    strangers: int = 16
    """Connections that have not shaken hands yet."""
    handshake: float = 10.0
    idle: float = 3600.0
    """Without a byte in either direction."""
    stall: float = 60.0
    """For the other side to take what the engine wrote."""
    grace: float = 2.0
    """From the end of input to the engine's end, and from then to SIGKILL."""
    stderr: int = 16_384


class Listener:
    """Runs `command` for each connection that proves `token`.

    `tell` gets a line about each connection. A connection's end ends its engine, with its whole
    process group, and an engine's end closes its connection.
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
        """Attend to whoever connects, until cancelled."""
        places = [Address(*listener.socket.getsockname()[:2]) for listener in listeners]
        self._tell(f"listening on {', '.join(map(str, places))}")
        await trio.serve_listeners(self.attend, listeners)

    async def attend(self, stream: trio.SocketStream) -> None:
        """One connection, from its first byte to its end."""
        try:
            peer = str(Address(*stream.socket.getpeername()[:2]))
        except OSError:
            # Gone before we looked.
            await trio.aclose_forcefully(stream)
            return
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_KEEPALIVE, 1)
        began = trio.current_time()
        try:
            reader = LineReader(stream, handshake.LONGEST_LINE)
            await self._admit(stream, reader)
            self._tell(f"{peer}: began")
            ended = await self._session(stream, reader.rest)
        except BridgeError as error:
            ended = str(error)
            with trio.move_on_after(1):
                await _say(stream, handshake.ERROR + ended.encode())
        await trio.aclose_forcefully(stream)
        self._tell(f"{peer}: ended after {trio.current_time() - began:.1f} s: {ended}")

    async def _admit(self, stream: trio.SocketStream, reader: LineReader) -> None:
        """Let the one who connects prove the token. Raises BridgeError."""
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
        """Run the engine; why the session ended. Raises BridgeError."""
        try:
            engine = EngineProcess.start(self._command, self._limits.stderr, self._resources)
        except EngineFault as fault:
            self._tell(fault.reason)
            raise BridgeError("the engine did not start") from None
        self._sessions += 1
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(engine.attend)
                try:
                    ended = await self._relay(stream, engine, already)
                finally:
                    with trio.CancelScope(shield=True):
                        await engine.stop(self._limits.grace)
                    nursery.cancel_scope.cancel()
        finally:
            self._sessions -= 1
        return ended

    async def _relay(self, stream: trio.SocketStream, engine: EngineProcess, already: bytes) -> str:
        """Say that the engine is there, and carry bytes both ways; why that ended."""
        limits, why = self._limits, f"nothing was said for {self._limits.idle:g} s"

        def end(reason: str) -> None:
            nonlocal why
            if not scope.cancel_called:
                why = reason
                scope.cancel()

        with trio.CancelScope() as scope:
            stay = partial(_postpone, scope, limits.idle)
            stay()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._inwards, stream, engine, already, stay, end)
                nursery.start_soon(self._outwards, stream, engine, stay, end)
        return why

    async def _inwards(
        self,
        stream: trio.SocketStream,
        engine: EngineProcess,
        data: bytes,
        stay: Callable[[], None],
        end: Callable[[str], None],
    ) -> None:
        """From the connection to the engine, line lengths bounded."""
        meter = LineMeter()
        try:
            while True:
                meter.feed(data)
                try:
                    await engine.send(data)
                except OSError:
                    # It has closed its input; its output may still say something.
                    pass
                data = await stream.receive_some(CHUNK)
                if not data:
                    break
                stay()
        except BridgeError as error:
            end(str(error))
            return
        except trio.BrokenResourceError:
            end("the connection broke")
            return
        engine.close_input()
        await trio.sleep(self._limits.grace)
        end("the other side closed the connection")

    async def _outwards(
        self,
        stream: trio.SocketStream,
        engine: EngineProcess,
        stay: Callable[[], None],
        end: Callable[[str], None],
    ) -> None:
        """From the engine to the connection, which must take it in time."""
        try:
            await stream.send_all(handshake.OK + b"\n")
            while data := await engine.receive():
                with trio.fail_after(self._limits.stall):
                    await stream.send_all(data)
                stay()
        except trio.TooSlowError:
            end(f"the other side read nothing for {self._limits.stall:g} s")
        except trio.BrokenResourceError:
            end("the connection broke")
        else:
            ended = await engine.how_it_ended(self._limits.grace)
            said = printable(bytes(engine.stderr_tail[-200:]).strip())
            end(f"the engine {ended}" + (f"; it had said: {said}" if said else ""))


async def open_listeners(address: Address, *, has_token: bool) -> list[trio.SocketListener]:
    """Listen there. Raises BridgeError, also for a place that others reach without a token."""
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


async def _say(stream: trio.SocketStream, line: bytes) -> None:
    """Send a line of the handshake, to whom it may concern."""
    try:
        await stream.send_all(line + b"\n")
    except trio.BrokenResourceError:
        raise BridgeError("the connection broke") from None


def _postpone(scope: trio.CancelScope, seconds: float) -> None:
    scope.deadline = trio.current_time() + seconds
