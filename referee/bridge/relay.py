"""Bytes both ways between an engine and a connection, until either ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.games.untrusted_text import one_line
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.limits import LineMeter
from oddly.referee.bridge.websocket import ConnectionEnd

if TYPE_CHECKING:
    from oddly.referee.bridge.limits import BridgeLimits
    from oddly.referee.bridge.websocket import SealedChannel
    from oddly.referee.process import EngineProcess

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
