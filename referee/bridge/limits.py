"""The limits of a bridge, also on connections that have not proved the token yet.

A newcomer beyond the limit replaces the connection that has progressed least and waited longest, at
the address with the most. So silent connections lock nobody out.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from oddly.protocol.codec import MAX_LINE
from oddly.referee.bridge.address import BridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
        """End the connection of an address that has progressed least, the oldest of several."""
        found = min((each for each in self._waiting if each.host == host), key=lambda s: s.steps)
        self._waiting.remove(found)
        found.scope.cancel()


class StrangerLog:
    """Logs refused connections: a single one at once, many in one line a minute."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told_at = -MINUTE
        self._hosts: set[str] = set()
        self._reasons: Counter[str] = Counter()

    def note(self, host: str, port: int, reason: str) -> None:
        """Note a refused connection."""
        now = trio.current_time()
        if not self._reasons and now - self._told_at >= MINUTE:
            self._told_at = now
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
        self._told_at = trio.current_time()
        self._hosts.clear()
        self._reasons.clear()


def _place(host: str) -> str:
    return f"[{host}]" if ":" in host else host
