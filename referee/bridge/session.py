"""A session of version 3: bytes both ways between two ends, over one connection after another.

Each end counts the bytes that it has received, and keeps the last that it sent. Over a new
connection each tells its count first, and the other one sends from there, so no byte is lost or
doubled. To those who use it a session is a channel that never breaks.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.referee.bridge.address import BridgeError, BridgeRefusal
from oddly.referee.bridge.websocket import FAREWELL, ConnectionEnd, SealedChannel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from oddly.referee.bridge.handshake import SessionSecret

KEPT = 4 << 20
"""Bytes that an end keeps of what it sent."""
AHEAD = 1 << 18
"""Bytes that an end takes in before they can be sent."""
PIECE = 4096
"""The most bytes in a message: what a connection carried before it broke need not come again."""
COUNT = 8
"""Bytes of the first message of each end, the number of bytes that it has received."""
PATIENCE = 10.0
"""Seconds for the counts of both ends."""
OVER = "the session is over"


class TakenOver(ConnectionEnd):
    """Another connection took the place of this one."""


class SentBytes:
    """The last bytes that were sent, and how many there were in all."""

    def __init__(self, most: int) -> None:
        self.total = 0
        self._most = most
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Append bytes."""
        self._kept += data
        self.total += len(data)
        del self._kept[: -self._most]

    def since(self, count: int) -> bytes:
        """Return what follows the first `count` bytes, a piece at most.

        Raises BridgeRefusal if it is not kept, or if there were fewer bytes.
        """
        start = count - self.total + len(self._kept)
        if start < 0:
            raise BridgeRefusal(
                f"{-start} bytes are lost: only the last {self._most} are kept for a connection "
                "that breaks"
            )
        if count > self.total:
            raise BridgeRefusal("the other side received more than was sent")
        return bytes(self._kept[start : start + PIECE])


class BridgeSession:
    """One end of a session. `stall` is how many seconds the other end may read nothing.

    `caller` is the other end's address; the end without one is the caller.
    """

    def __init__(self, secret: SessionSecret, stall: float = math.inf, caller: str = "") -> None:
        self.secret = secret
        self.caller = caller
        self.is_over = False
        self.away_since = trio.current_time() if caller else None
        """Since when there is no connection; None while there is one, or the caller's first."""
        self._stall = stall
        self._sent = SentBytes(KEPT)
        self._position = 0
        self._has_ended = False
        self._received = 0
        self._arriving, self._arrived = trio.open_memory_channel[bytes](0)
        self._failure: BridgeError | None = None
        self._news = trio.Event()
        self._turn = trio.Lock()
        self._connection: trio.CancelScope | None = None
        self._latest = 0
        self.forgotten = trio.Event()
        """Set by the listener once its engine is gone."""
        self.is_deserted = False
        """Whether its last connection broke, and no other is here, as the listener knows."""

    def __str__(self) -> str:
        return self.caller

    @property
    def is_held_up(self) -> bool:
        """Whether what came has not been received yet, so that nothing else is read."""
        return self._arriving.statistics().tasks_waiting_send > 0

    async def send(self, data: bytes) -> None:
        """Take bytes for the other end, with or without a connection; none end its input.

        Raises ConnectionEnd once the session is over.
        """
        while self._sent.total - self._position > AHEAD and not self.is_over:
            await self._news.wait()
        if self.is_over:
            raise ConnectionEnd(OVER)
        self._sent.add(data)
        self._has_ended = not data
        self._tell()

    async def receive(self) -> bytes:
        """Return the next bytes; none at the end of the other side's output.

        Raises the BridgeError that ended the session.
        """
        try:
            return await self._arrived.receive()
        except trio.EndOfChannel:
            if self._failure is not None:
                raise self._failure from None
            return b""

    def end(self, failure: BridgeError | None = None) -> None:
        """End the session; the other end hears of it if it can."""
        if not self.is_over:
            self.is_over = True
            self._failure = failure
            self._arriving.close()
            self._tell()
            if self._connection is not None:
                self._connection.cancel()

    def drop(self) -> None:
        """Give up the present connection, and keep the session."""
        self._latest += 1
        if self._connection is not None:
            self._connection.cancel()

    async def until_away(self, seconds: float) -> None:
        """Return once there was no connection for these seconds, or the session is over."""
        while not self.is_over:
            if self.away_since is None:
                await self._news.wait()
                continue
            with trio.move_on_after(seconds) as waited:
                while self.away_since is not None and not self.is_over:
                    await self._news.wait()
            if waited.cancelled_caught:
                return

    async def carry(self, channel: SealedChannel) -> None:
        """Use a connection, in place of an earlier one, until the session is over.

        Raises TakenOver if another one took its place, ConnectionEnd if it broke, and
        BridgeRefusal, which ends the session, for a forged message and for bytes that are lost.
        """
        self.drop()
        mine = self._latest
        async with self._turn:
            if self.is_over:
                raise BridgeRefusal(OVER)
            if mine != self._latest:
                raise TakenOver("another connection took its place")
            try:
                with trio.CancelScope() as self._connection:
                    await self._converse(channel, mine)
            except BridgeRefusal as refusal:
                self._connection = None
                self.end(refusal)
                raise
            finally:
                self._connection = None
                if self.away_since is None:
                    self.away_since = trio.current_time()
                self._tell()
        if mine != self._latest and not self.is_over:
            raise TakenOver("another connection took its place")

    async def _converse(self, channel: SealedChannel, mine: int) -> None:
        """Tell the counts, then send and receive until both ends have ended."""
        broke: list[BridgeError] = []
        can_say_farewell = False
        try:
            count = await self._tell_counts(channel)
            can_say_farewell = True
            self._go_on_from(count)
            async with trio.open_nursery() as ways:
                for way in (self._outwards, self._inwards):
                    ways.start_soon(_follow, way, channel, broke, ways.cancel_scope)
            if broke:
                # What ends the session counts more than the end of its connection.
                raise next((each for each in broke if isinstance(each, BridgeRefusal)), broke[0])
            can_say_farewell = False
            self.end()
        except ConnectionEnd:
            can_say_farewell = False
            raise
        finally:
            if can_say_farewell and mine == self._latest:
                await _say_farewell(channel)

    async def _tell_counts(self, channel: SealedChannel) -> int:
        """Tell how many bytes have come, the caller first; return the count of the other end."""
        mine = self._received.to_bytes(COUNT)
        try:
            with trio.fail_after(PATIENCE):
                if not self.caller:
                    await channel.send(mine)
                count = int.from_bytes(await channel.receive())
                if self.caller:
                    await channel.send(mine)
        except trio.TooSlowError:
            raise ConnectionEnd(f"no count within {PATIENCE:g} s") from None
        return count

    def _go_on_from(self, count: int) -> None:
        """Send next what follows these bytes. Raises BridgeRefusal if it is not kept."""
        self._sent.since(count)
        self._position = count
        self.away_since = None
        self._tell()

    async def _outwards(self, channel: SealedChannel) -> None:
        """Send what is there and what comes, from the position that the other end told."""
        while True:
            if data := self._sent.since(self._position):
                try:
                    with trio.fail_after(self._stall):
                        await channel.send(data)
                except trio.TooSlowError:
                    raise ConnectionEnd(
                        f"the other side read nothing for {self._stall:g} s"
                    ) from None
                self._position += len(data)
                self._tell()
            elif self._has_ended:
                await channel.send(b"")
                return
            else:
                await self._news.wait()

    async def _inwards(self, channel: SealedChannel) -> None:
        """Pass on what comes, and count it: a message is passed on and counted, or neither."""
        while data := await channel.receive():
            with suppress(trio.ClosedResourceError):
                await self._arriving.send(data)
            self._received += len(data)
        self._arriving.close()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()


async def _follow(
    way: Callable[[SealedChannel], Awaitable[None]],
    channel: SealedChannel,
    broke: list[BridgeError],
    ways: trio.CancelScope,
) -> None:
    """Go one way of a connection; note why it broke, and end the other one then."""
    try:
        await way(channel)
    except BridgeError as error:
        broke.append(error)
        ways.cancel()


async def _say_farewell(channel: SealedChannel) -> None:
    """Tell the other end that no bytes follow, unless a message was sent in part."""
    if channel.is_whole:
        with trio.move_on_after(FAREWELL, shield=True), suppress(BridgeError):
            await channel.send(b"")
