"""Bytes both ways between an engine and the other end of its bridge, until either side ends."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.limits import BridgeLimits, LineMeter
from oddly.referee.bridge.session import BridgeSession
from oddly.referee.bridge.websocket import ConnectionEnd, SealedChannel

if TYPE_CHECKING:
    from oddly.referee.program.process import EngineProcess

MAX_LAST_WORDS = 200
"""Bytes of the engine's standard error that are reported."""


class Relay:
    """Carries bytes between a running engine and a connection that has proved the token.

    In version 3 that is a session, whose connections come and go.
    """

    def __init__(
        self,
        channel: SealedChannel | BridgeSession,
        engine: EngineProcess,
        limits: BridgeLimits,
    ) -> None:
        self._channel = channel
        self._engine = engine
        self._limits = limits
        self._scope = trio.CancelScope()
        self._why = f"no byte came for {limits.idle:g} s"
        self._heard_all = trio.Event()
        self._input_ended = trio.Event()

    async def run(self) -> str:
        """Confirm the handshake of version 2 and carry bytes.

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
                        if isinstance(self._channel, BridgeSession):
                            ways.start_soon(self._bear_absence, self._channel)
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
        self._input_ended.set()
        self._engine.close_input()
        await trio.sleep(self._limits.grace)
        self._end(why)

    async def _outwards(self) -> None:
        """Copy from the engine to the connection, which must read in time."""
        try:
            if isinstance(self._channel, SealedChannel):
                await self._channel.say_ok()
            while data := await self._engine.receive():
                await self._send(data)
                self._stay()
        except trio.TooSlowError:
            self._end(f"the other side read nothing for {self._limits.stall:g} s")
        except BridgeError as error:
            self._end(str(error))
        else:
            last_words = await self._last_words()
            if isinstance(self._channel, BridgeSession):
                # The last output may have to go over another connection.
                with suppress(BridgeError):
                    await self._channel.send(b"")
                await self._input_ended.wait()
            self._end(last_words)

    async def _send(self, data: bytes) -> None:
        """Send some output. Raises BridgeError, and TooSlowError if it is not read in time."""
        if isinstance(self._channel, BridgeSession):
            await self._channel.send(data)
        else:
            with trio.fail_after(self._limits.stall):
                await self._channel.send(data)

    async def _bear_absence(self, session: BridgeSession) -> None:
        """Keep the engine without a connection, but not for ever."""
        await session.until_away(self._limits.away)
        if not session.is_over:
            self._end(f"the other side was away for {self._limits.away:g} s")

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
