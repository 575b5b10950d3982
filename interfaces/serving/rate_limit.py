"""Limits how many messages a connection may send."""

from __future__ import annotations


class RateLimit:
    """A token bucket for messages. The caller gives the time."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst, self._left, self._since = rate, burst, float(burst), now

    def spend(self, now: float) -> bool:
        """Count one message. Returns whether it is within the limit."""
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        self._left -= 1
        return self._left >= 0
