"""The limits of a bridge, and the measure of lines."""

from __future__ import annotations

from dataclasses import dataclass

from oddly.protocol.codec import MAX_LINE
from oddly.referee.bridge.address import BridgeError


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
