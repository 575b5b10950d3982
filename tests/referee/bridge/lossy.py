"""A proxy between the two ends of a bridge that cuts their connections, or lets them go silent."""

import math
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat

import trio

from oddly.referee.bridge.address import BridgeAddress, BridgeTarget

RESET = struct.pack("ii", 1, 0)


class LossyProxy:
    """Passes bytes on to `behind`, of each connection only as many as `budgets` says next.

    Each piece takes `delay` seconds.
    """

    def __init__(self, behind: BridgeAddress, budgets: Iterator[float], delay: float = 0.0) -> None:
        self.behind = behind
        self._delay = delay
        self.is_down = False
        """Whether new connections are cut at once."""
        self.is_mute = False
        """Whether new connections are kept without a word."""
        self.unanswered = 0
        self.connections = 0
        self.refused = 0
        self.cuts = 0
        self._budgets = budgets
        self._scopes: set[trio.CancelScope] = set()
        self._silent: set[trio.CancelScope] = set()

    async def serve(self, task_status=trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; tells its target once it listens."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        address = BridgeAddress(*listeners[0].socket.getsockname())
        task_status.started(BridgeTarget(address))
        await trio.serve_listeners(self._pass_on, listeners)

    def go_down(self) -> None:
        """Cut what is connected now, and new connections at once."""
        self.is_down = True
        self.cut_all()

    def cut_all(self) -> None:
        """Cut what is connected now."""
        self.cuts += len(self._scopes)
        for scope in self._scopes:
            scope.cancel()

    def silence_all(self) -> None:
        """Pass nothing on of what is connected now, without a word."""
        self._silent |= self._scopes

    async def _pass_on(self, near: trio.SocketStream) -> None:
        if self.is_down:
            self.refused += 1
            _reset(near)
            return
        if self.is_mute:
            self.unanswered += 1
            while await near.receive_some():
                pass
            return
        self.connections += 1
        left = [next(self._budgets)]
        far = await trio.open_tcp_stream(*self.behind)
        scope = trio.CancelScope()
        self._scopes.add(scope)
        try:
            with scope:
                async with trio.open_nursery() as nursery:
                    for source, sink in ((near, far), (far, near)):
                        nursery.start_soon(self._one_way, source, sink, left, scope)
        finally:
            self._scopes.discard(scope)
            # One end hears a reset, the other an end.
            _reset(near)
            far.socket.close()

    async def _one_way(self, source, sink, left, scope) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while data := await source.receive_some(1000):
                if scope in self._silent:
                    await trio.sleep_forever()
                passed = data[: int(min(left[0], len(data)))]
                left[0] -= len(passed)
                await trio.sleep(self._delay)
                await sink.send_all(passed)
                if left[0] <= 0:
                    self.cuts += not scope.cancel_called
                    break
        scope.cancel()


async def lossy(place, budgets=None, delay=0.0):
    """A proxy in front of a bridge, and its target; without budgets it cuts nothing by itself."""
    proxy = LossyProxy(place.address, repeat(math.inf) if budgets is None else budgets, delay)
    return proxy, await place.nursery.start(proxy.serve)


def _reset(stream: trio.SocketStream) -> None:
    with suppress(OSError):
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, RESET)
    stream.socket.close()
