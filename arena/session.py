"""One engine's connection as a state machine: who it is, how long its way is, what it may say.

A session begins with a nonce and waits for `join`. It knows nothing of sockets; the rim closes what
is over, and gives the arena every message as `wire/` read it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from oddly.arena.lag import PING_EVERY, RoundTrips

JOIN_WITHIN = 10.0
"""Seconds in which a connection has to join."""
IDLE_PING_EVERY = 10.0
"""Seconds between two pings outside games."""
SILENT = 30.0
"""Seconds after which a connection from which nothing comes is closed."""


@dataclass(slots=True)
class ArenaSession:
    """A connection of an engine's side."""

    id: int
    address: str
    """Where it comes from."""
    host: str
    """What the client must have dialled."""
    opened: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(32))
    engine: str | None = None
    """The name of the engine; None before it has joined."""
    is_ready: bool = False
    """Whether it asked for a game."""
    rests: bool = False
    """Whether it wants none after the present one."""
    takes_challenges: bool = False
    """Whether its owner lets visitors play against it."""
    is_closed: bool = False
    trips: RoundTrips = field(default_factory=RoundTrips)
    heard: float = 0.0
    """When the last message came."""
    free_since: float = 0.0
    """Since when it is ready."""

    @property
    def may_be_paired(self) -> bool:
        """Whether it wants a game."""
        return self.engine is not None and self.is_ready and not self.rests and not self.is_closed

    def ready(self, now: float) -> None:
        """Take note that the engine is free."""
        if not self.is_ready:
            self.free_since = now
        self.is_ready, self.rests = True, False

    def is_late(self, now: float) -> bool:
        """Return whether it has not joined in time."""
        return self.engine is None and now >= self.opened + JOIN_WITHIN

    def is_silent(self, now: float) -> bool:
        """Return whether nothing came for so long that it is gone."""
        return now >= max(self.heard, self.opened) + SILENT

    def ping_is_due(self, now: float, *, in_game: bool) -> bool:
        """Return whether to ping it now."""
        if self.engine is None:
            return False
        if in_game:
            return now >= self.trips.due
        return now >= self.trips.due - PING_EVERY + IDLE_PING_EVERY
