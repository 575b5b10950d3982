"""Lines of bounded length: measured in a stream, or read one by one in the handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from protocol.codec import MAX_LINE
from referee.bridge.address import BridgeError

if TYPE_CHECKING:
    from trio.abc import ReceiveStream


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
