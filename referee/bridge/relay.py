"""Bytes both ways between an engine and the other end of its bridge, within limits.

The limits also cover connections that have not proved the token yet. Beyond the limit, a newcomer
replaces a connection from the address with the most: the one that has progressed least and waited
longest. So silent connections lock nobody out.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.protocol.codec import MAX_LINE
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.session import BridgeSession
from oddly.referee.bridge.websocket import ConnectionEnd, SealedChannel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.referee.program.process import EngineProcess


@dataclass(frozen=True)
class BridgeLimits:
    """Limits of a listener. Times are in seconds, sizes in bytes."""

    sessions: int = 16
    """Engines running at once."""
    strangers: int = 64
    """Connections that are still in the handshake."""
    strangers_an_address: int = 16
    handshake: float = 10.0
    idle: float = 3600.0
    """Time without a byte in either direction."""
    stall: float = 60.0
    """Time for the other end to read what the engine wrote."""
    away: float = 300.0
    """Time for which an engine runs on without a connection."""
    grace: float = 2.0
    """Time from the end of input to the end of the engine, and from then to SIGKILL."""
    stderr: int = 16_384


class LineCutter:
    """Cuts the lines of a stream that comes in pieces, a little beyond the longest line allowed.

    So the reader itself sees that a line is too long, and no line has to be kept.
    """

    def __init__(self) -> None:
        self._length = 0

    def feed(self, data: bytes) -> bytes:
        """Return what is left of the next piece."""
        pieces = data.split(b"\n")
        for index, piece in enumerate(pieces):
            if index > 0:
                self._length = 0
            pieces[index] = piece[: max(MAX_LINE + 1 - self._length, 0)]
            self._length += len(piece)
        return b"\n".join(pieces)


MINUTE = 60.0


class Stranger:
    """A connection in the handshake. `steps` counts its progress."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.steps = 0
        self.scope = trio.CancelScope()


class Strangers:
    """All connections in the handshake."""

    def __init__(self, limits: BridgeLimits) -> None:
        self._limits = limits
        self._waiting: list[Stranger] = []

    @contextmanager
    def admitted(self, host: str) -> Iterator[Stranger]:
        """Make room for a newcomer. Its `scope` is cancelled when another one takes its place."""
        stranger = Stranger(host)
        counts = Counter(each.host for each in self._waiting)
        if counts[host] >= self._limits.strangers_an_address:
            self._give_up(host)
        elif len(self._waiting) >= self._limits.strangers:
            self._give_up(counts.most_common(1)[0][0])
        self._waiting.append(stranger)
        try:
            yield stranger
        finally:
            self.know(stranger)

    def know(self, stranger: Stranger) -> None:
        """Stop counting a connection: it has proved the token."""
        if stranger in self._waiting:
            self._waiting.remove(stranger)

    def _give_up(self, host: str) -> None:
        """End an address's least advanced connection, the oldest of several."""
        found = min((each for each in self._waiting if each.host == host), key=lambda s: s.steps)
        self._waiting.remove(found)
        found.scope.cancel()


class StrangerLog:
    """Logs refused connections: a single one at once, many in one line a minute."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._logged_at = -MINUTE
        self._hosts: set[str] = set()
        self._reasons: Counter[str] = Counter()

    def note(self, host: str, port: int, reason: str) -> None:
        """Note a refused connection."""
        now = trio.current_time()
        if not self._reasons and now - self._logged_at >= MINUTE:
            self._logged_at = now
            self._tell(f"{_place(host)}:{port}: refused: {reason}")
            return
        # Neither may grow with the number of connections.
        if len(self._hosts) < 1000:
            self._hosts.add(host)
        self._reasons[reason if len(self._reasons) < 50 else "other"] += 1

    async def keep_telling(self) -> None:
        """Log the noted refusals, once a minute, until cancelled."""
        while True:
            await trio.sleep(MINUTE)
            self.tell_rest()

    def tell_rest(self) -> None:
        """Log the refusals noted since the last line."""
        if not self._reasons:
            return
        number = self._reasons.total()
        reason, times = self._reasons.most_common(1)[0]
        self._tell(
            f"{number} more connections refused, from {len(self._hosts)} addresses, for example "
            f"{_place(min(self._hosts))}; {times} of them: {reason}"
        )
        self._logged_at = trio.current_time()
        self._hosts.clear()
        self._reasons.clear()


def _place(host: str) -> str:
    return f"[{host}]" if ":" in host else host


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
        self._stderr_ended = trio.Event()
        self._input_ended = trio.Event()

    async def run(self) -> str:
        """Confirm the handshake of version 2 and carry bytes.

        Returns why the session ended, once the engine and all that it started are gone.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._attend)
            try:
                with self._scope:
                    self._restart_idle_time()
                    async with trio.open_nursery() as ways:
                        ways.start_soon(self._inwards)
                        ways.start_soon(self._outwards)
                        if isinstance(self._channel, BridgeSession):
                            ways.start_soon(self._end_if_away, self._channel)
            finally:
                with trio.CancelScope(shield=True):
                    await self._engine.stop(self._limits.grace)
                nursery.cancel_scope.cancel()
        return self._why

    async def _attend(self) -> None:
        await self._engine.attend()
        self._stderr_ended.set()

    async def _inwards(self) -> None:
        """Copy from the connection to the engine, and cut lines that are too long."""
        cutter = LineCutter()
        try:
            while data := await self._channel.receive():
                self._restart_idle_time()
                try:
                    await self._engine.send(cutter.feed(data))
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
                self._restart_idle_time()
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

    async def _end_if_away(self, session: BridgeSession) -> None:
        """End a session that has had no connection for too long."""
        await session.until_away(self._limits.away)
        if not session.is_over:
            self._end(f"the other side was away for {self._limits.away:g} s")

    async def _last_words(self) -> str:
        """Return how the engine ended, and the end of its standard error."""
        ended = f"the engine {await self._engine.how_it_ended(self._limits.grace)}"
        with trio.move_on_after(self._limits.grace):
            await self._stderr_ended.wait()
        said = one_line(bytes(self._engine.stderr_tail[-MAX_LAST_WORDS:]).strip())
        return f"{ended}; it had said: {said}" if said else ended

    def _restart_idle_time(self) -> None:
        self._scope.deadline = trio.current_time() + self._limits.idle

    def _end(self, why: str) -> None:
        """End the session, unless it has ended for another reason."""
        if not self._scope.cancel_called:
            self._why = why
            self._scope.cancel()
