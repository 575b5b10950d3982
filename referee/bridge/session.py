"""A session of version 3: bytes both ways between two ends, over one connection after another.

Each end counts the bytes it has received, and keeps the last ones it sent. On a new connection each
end first sends its count, and the other continues from there, so no byte is lost or repeated. To
its users a session is a channel that never breaks.
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
"""Sent bytes that an end keeps."""
AHEAD = 1 << 18
"""Bytes that an end accepts before they can be sent."""
PIECE = 4096
"""The most bytes in a message: few, so that little must be sent again after a break."""
COUNT = 8
"""Bytes in each end's first message, the count of the bytes it has received."""
PATIENCE = 10.0
"""Seconds for both ends to exchange their counts."""
OVER = "the session is over"


class TakenOver(ConnectionEnd):
    """Another connection took the place of this one."""


class SentBytes:
    """The last bytes sent, and the number sent in all."""

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
        """Return what follows the first `count` bytes, at most a piece.

        Raises BridgeRefusal if that is not kept, or if fewer bytes were sent.
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

    `caller` is the calling end's address, empty at that end itself.
    """

    def __init__(self, secret: SessionSecret, stall: float = math.inf, caller: str = "") -> None:
        self.secret = secret
        self.caller = caller
        self.is_over = False
        self.away_since = trio.current_time() if caller else None
        """Since when it has no connection; None while it has one, or before the caller's first."""
        self._stall = stall
        self._sent = SentBytes(KEPT)
        self._position = 0
        self._has_ended = False
        self._received = 0
        self._arriving, self._arrived = trio.open_memory_channel[bytes](0)
        self._failure: BridgeError | None = None
        self._news = trio.Event()
        self._carrying = trio.Lock()
        self._connection: trio.CancelScope | None = None
        self._latest = 0
        self.forgotten = trio.Event()
        """Set by the listener once its engine is gone."""
        self.is_deserted = False
        """Set by the listener when the last connection breaks, until another comes."""

    def __str__(self) -> str:
        return self.caller

    @property
    def is_held_up(self) -> bool:
        """Whether bytes that came wait to be received, so that nothing more is read."""
        return self._arriving.statistics().tasks_waiting_send > 0

    async def send(self, data: bytes) -> None:
        """Accept bytes for the other end, connected or not; empty bytes end its input.

        Raises ConnectionEnd once the session is over.
        """
        while self._sent.total - self._position > AHEAD and not self.is_over:
            await self._news.wait()
        if self.is_over:
            raise ConnectionEnd(OVER)
        self._sent.add(data)
        self._has_ended = not data
        self._wake_waiters()

    async def receive(self) -> bytes:
        """Return the next bytes, empty at the end of the other side's output.

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
            self._wake_waiters()
            if self._connection is not None:
                self._connection.cancel()

    def drop(self) -> None:
        """Give up the present connection, and keep the session."""
        self._latest += 1
        if self._connection is not None:
            self._connection.cancel()

    async def until_away(self, seconds: float) -> None:
        """Wait until there has been no connection for `seconds`, or the session is over."""
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

        Raises TakenOver if another took its place, ConnectionEnd if it broke, and BridgeRefusal,
        which ends the session, for a forged message or lost bytes.
        """
        self.drop()
        mine = self._latest
        async with self._carrying:
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
                self._wake_waiters()
        if mine != self._latest and not self.is_over:
            raise TakenOver("another connection took its place")

    async def _converse(self, channel: SealedChannel, mine: int) -> None:
        """Exchange counts, then send and receive until both ends have ended."""
        broke: list[BridgeError] = []
        can_say_farewell = False
        try:
            count = await self._exchange_counts(channel)
            can_say_farewell = True
            self._continue_from(count)
            async with trio.open_nursery() as ways:
                for way in (self._outwards, self._inwards):
                    ways.start_soon(_carry_one_way, way, channel, broke, ways.cancel_scope)
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

    async def _exchange_counts(self, channel: SealedChannel) -> int:
        """Send our count of received bytes, the caller first; return the other end's."""
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

    def _continue_from(self, count: int) -> None:
        """Continue sending after `count` bytes. Raises BridgeRefusal if the rest is not kept."""
        self._sent.since(count)
        self._position = count
        self.away_since = None
        self._wake_waiters()

    async def _outwards(self, channel: SealedChannel) -> None:
        """Send everything from the other end's count on, as it comes."""
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
                self._wake_waiters()
            elif self._has_ended:
                await channel.send(b"")
                return
            else:
                await self._news.wait()

    async def _inwards(self, channel: SealedChannel) -> None:
        """Pass on each message and count it: both or neither."""
        while data := await channel.receive():
            with suppress(trio.ClosedResourceError):
                await self._arriving.send(data)
            self._received += len(data)
        self._arriving.close()

    def _wake_waiters(self) -> None:
        """Let the tasks that wait for news look again."""
        self._news.set()
        self._news = trio.Event()


async def _carry_one_way(
    way: Callable[[SealedChannel], Awaitable[None]],
    channel: SealedChannel,
    broke: list[BridgeError],
    ways: trio.CancelScope,
) -> None:
    """Serve one direction of a connection; if it breaks, note why and end the other."""
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
