"""Connections that have not proved the token yet: their limit, and their lines in the log.

A newcomer beyond the limit replaces the connection that has progressed least and waited longest, at
the address with the most. So silent connections lock nobody out.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.referee.bridge.limits import BridgeLimits

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
