"""The limits of a bridge, and lines of bounded length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from protocol.codec import MAX_LINE
from referee.bridge.address import BridgeError

if TYPE_CHECKING:
    from trio.abc import ReceiveStream


@dataclass(frozen=True)
class BridgeLimits:
    """Limits of a listener. Times are in seconds, sizes in bytes."""

    sessions: int = 16
    """Engines running at once."""
    strangers: int = 16
    """Connections that are still in the handshake."""
    handshake: float = 10.0
    idle: float = 3600.0
    """Time without a byte in either direction."""
    stall: float = 60.0
    """Time for the other end to read what the engine wrote."""
    grace: float = 2.0
    """Time from the end of input to the end of the engine, and from then to SIGKILL."""
    stderr: int = 16_384


class LineMeter:
    """Measures the lines of a stream in pieces and keeps nothing."""

    def __init__(self, longest: int = MAX_LINE) -> None:
        self._longest = longest
        self._length = 0

    def feed(self, data: bytes) -> None:
        """Measure the next piece. Raises BridgeError if a line is too long."""
        first, *others = data.split(b"\n")
        lengths = [self._length + len(first), *map(len, others)]
        self._length = lengths[-1]
        if max(lengths) > self._longest:
            raise BridgeError(f"a line of more than {self._longest} bytes")


class LineReader:
    """Reads single lines. `rest` is what arrived after them."""

    def __init__(self, stream: ReceiveStream, longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self.rest = b""

    async def line(self) -> bytes:
        """Return the next line without its end. Raises BridgeError for none or a long one."""
        while b"\n" not in self.rest:
            if len(self.rest) > self._longest:
                raise BridgeError(f"a first line of more than {self._longest} bytes")
            try:
                data = await self._stream.receive_some(self._longest)
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise BridgeError("the other side closed the connection")
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return line.removesuffix(b"\r")
