"""All connections of an arena: who is there, who is silent, and whom to ping.

Each connection is a session, a state machine that knows the engine, the round trips, and what the
engine may say. It begins with a nonce and waits for `join`. It knows nothing about sockets; the rim
closes sessions that are over or do not join in time, and gives the arena every message as `wire/`
read it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from oddly.arena.effects import Effects, EngineJoined, EngineLeft, EngineRefused
from oddly.arena.lag import PING_EVERY, RoundTrips
from oddly.arena.wire.messages import JoinRefused, Ping

if TYPE_CHECKING:
    from collections.abc import Container

    from oddly.arena.wire.members import Message


IDLE_PING_EVERY = 10.0
"""Seconds between two pings outside games."""
SILENT = 30.0
"""Seconds of silence after which a connection is closed."""


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
    """The time of the last message."""
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

    def is_silent(self, now: float) -> bool:
        """Return whether it has been silent for long enough to count as gone."""
        return now >= max(self.heard, self.opened) + SILENT

    def ping_is_due(self, now: float, *, in_game: bool) -> bool:
        """Return whether a ping is due now."""
        if self.engine is None:
            return False
        if in_game:
            return now >= self.trips.due
        return now >= self.trips.due - PING_EVERY + IDLE_PING_EVERY


class Sessions:
    """The open connections by number, and those that have joined by the engine's name."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self._ids = count(1)
        self.by_number: dict[int, ArenaSession] = {}
        self.online: dict[str, ArenaSession] = {}

    def open(self, address: str, host: str, now: float) -> ArenaSession:
        """Begin a session."""
        session = ArenaSession(next(self._ids), address, host.lower(), now, heard=now)
        self.by_number[session.id] = session
        return session

    def joined(self, session: ArenaSession, name: str, *, is_new: bool) -> None:
        """Note that a session belongs to an engine; an older session of the engine ends."""
        stale = self.online.get(name)
        if stale is not None:
            self.refuse(stale.id, "taken-over", "another connection of this engine took over")
        session.engine = name
        self.online[name] = session
        self._effects.tell(EngineJoined(name, session.address, is_new))

    def closed(self, number: int) -> None:
        """Note that a connection is gone."""
        session = self.by_number.pop(number, None)
        if session is not None:
            session.is_closed = True
            if session.engine is not None and self.online.get(session.engine) is session:
                del self.online[session.engine]
                self._effects.tell(EngineLeft(session.engine))

    def refuse(self, number: int, code: str, reason: str, again: float | None = None) -> None:
        """Say why, and close a connection."""
        session = self.by_number.get(number)
        if session is not None:
            self._effects.tell(EngineRefused(session.engine, session.address, code, reason[:400]))
            self._effects.send(number, JoinRefused(code, reason[:400], again))
            self._effects.close(number)
            self.closed(number)

    def tell(self, name: str, message: Message) -> None:
        """Send a message to an engine's side, if it is connected."""
        session = self.online.get(name)
        if session is not None:
            self._effects.send(session.id, message)

    def justified(self, name: str) -> float:
        """Return the lag that an engine's round trips justify, in seconds; 0 if it is away."""
        session = self.online.get(name)
        return 0.0 if session is None else session.trips.justified

    def ping(self, name: str, now: float, times: int = 1) -> None:
        """Ping an engine's side, several times to measure the round trip before a game."""
        session = self.online.get(name)
        if session is not None:
            for _ in range(times):
                self._effects.send(session.id, Ping(session.trips.new_ping(now)))

    def pinged(self, number: int, ping: int, now: float) -> None:
        """Note that the socket has a ping."""
        session = self.by_number.get(number)
        if session is not None:
            session.trips.sent(ping, now)

    def look(self, now: float, playing: Container[str]) -> None:
        """Close silent sessions, and ping those that need it."""
        for session in [*self.by_number.values()]:
            if session.is_silent(now):
                self._effects.close(session.id, is_silent=True)
                self.closed(session.id)
            elif session.ping_is_due(now, in_game=session.engine in playing):
                self.ping(session.engine or "", now)
