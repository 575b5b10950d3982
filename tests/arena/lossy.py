"""A proxy between clients and an arena that does to connections what networks do."""

import random
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import trio

RESET = struct.pack("ii", 1, 0)
PIECE = 4096
BROKEN = (trio.BrokenResourceError, trio.ClosedResourceError)


@dataclass(frozen=True)
class Fate:
    """What becomes of one connection, after so many bytes both ways."""

    bytes: float
    end: str = "reset"
    """`reset` for both ends, `close` for both, `half-open`: the arena's end is closed and the
    client hears nothing, `deaf`: the other way round, or `black hole`: both hear nothing."""
    delay: float = 0.0
    """Seconds for each way."""
    jitter: float = 0.0
    """Seconds at most on top, drawn for each piece; pieces keep their order."""


class LossyProxy:
    """Passes bytes on to a port of this machine; each connection has the next fate."""

    def __init__(self, behind: int, fates: Iterator[Fate], chance: random.Random) -> None:
        self.behind = behind
        self.fates = fates
        self.connections = 0
        self.ends: list[str] = []
        """How connections were broken."""
        self._chance = chance

    async def serve(self, task_status=trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; tells its port."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        task_status.started(listeners[0].socket.getsockname()[1])
        await trio.serve_listeners(self._pass_on, listeners)

    async def _pass_on(self, near: trio.SocketStream) -> None:
        self.connections += 1
        fate = next(self.fates)
        left = [fate.bytes]
        far = await trio.open_tcp_stream("127.0.0.1", self.behind)
        scope = trio.CancelScope()
        try:
            with scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._one_way, near, far, fate, left, scope)
                    nursery.start_soon(self._one_way, far, near, fate, left, scope)
            if left[0] <= 0:
                self.ends.append(fate.end)
                await self._break(near, far, fate.end)
        finally:
            for stream in (near, far):
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(stream)

    async def _break(self, near: trio.SocketStream, far: trio.SocketStream, end: str) -> None:
        match end:
            case "reset":
                for stream in (near, far):
                    with suppress(OSError):
                        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, RESET)
            case "half-open":
                await trio.aclose_forcefully(far)
                await trio.sleep_forever()
            case "deaf":
                await trio.aclose_forcefully(near)
                await trio.sleep_forever()
            case "black hole":
                await trio.sleep_forever()

    async def _one_way(self, source, sink, fate: Fate, left: list[float], scope) -> None:
        pieces, arriving = trio.open_memory_channel(1000)

        async def deliver() -> None:
            async for at, data in arriving:
                await trio.sleep_until(at)
                with suppress(*BROKEN):
                    await sink.send_all(data)
            scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(deliver)
            last = 0.0
            with suppress(*BROKEN):
                while left[0] > 0 and (data := await source.receive_some(PIECE)):
                    passed = bytes(data[: int(min(left[0], len(data)))])
                    left[0] -= len(passed)
                    delay = fate.delay + self._chance.random() * fate.jitter
                    last = max(last, trio.current_time() + delay)
                    await pieces.send((last, passed))
            await pieces.aclose()
