"""One engine's connection as a state machine: who it is, its round trips, what it may say.

A session begins with a nonce and waits for `join`. It knows nothing about sockets; the rim closes
sessions that are over, and gives the arena every message as `wire/` read it.
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
    """Its network address."""
    host: str
    """The host that the client must have dialled."""
    opened: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(32))
    engine: str | None = None
    """The name of the engine; None before it has joined."""
    is_ready: bool = False
    """Whether the engine asked for a game."""
    rests: bool = False
    """Whether the engine wants no game after the present one."""
    takes_challenges: bool = False
    """Whether the owner lets visitors play against it."""
    is_closed: bool = False
    trips: RoundTrips = field(default_factory=RoundTrips)
    heard: float = 0.0
    """When the last message came."""
    free_since: float = 0.0
    """Since when the engine is ready."""

    @property
    def may_be_paired(self) -> bool:
        """Whether the engine wants a game."""
        return self.engine is not None and self.is_ready and not self.rests and not self.is_closed

    def ready(self, now: float) -> None:
        """Note that the engine is free."""
        if not self.is_ready:
            self.free_since = now
        self.is_ready, self.rests = True, False

    def is_late(self, now: float) -> bool:
        """Return whether the client did not join in time."""
        return self.engine is None and now >= self.opened + JOIN_WITHIN

    def is_silent(self, now: float) -> bool:
        """Return whether it has been silent for so long that it counts as gone."""
        return now >= max(self.heard, self.opened) + SILENT

    def ping_is_due(self, now: float, *, in_game: bool) -> bool:
        """Return whether a ping is due now."""
        if self.engine is None:
            return False
        if in_game:
            return now >= self.trips.due
        return now >= self.trips.due - PING_EVERY + IDLE_PING_EVERY
