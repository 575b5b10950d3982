"""The bounds that protect the server from its visitors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Sizes in bytes, times in seconds."""

    games: int = 8
    """Games on the page at once; each may have two engine processes."""
    sockets: int = 512
    """WebSockets at once."""
    body: int = 65_536
    """The body of a POST."""
    message: int = 2_048
    """A message on a WebSocket."""
    rate: float = 20.0
    """Messages a second from one WebSocket, on average."""
    burst: int = 60
    """Messages that may come at once."""
    unread: int = 131_072
    """Data sent to a connection and not yet received."""
    stalled: float = 6.0
    """The time without progress after which the system drops a connection."""
    idle: float = 1800.0
    """The time for which a game without browsers is kept."""
    seconds: tuple[int, ...] = (1, 3, 10)
    """The times for a turn that the page offers."""
    hint: float = 30.0
    """The time for a hint, once the engine is ready."""
    memory: int = 4096
    """MiB of address space of an engine's process."""
    kept: int = 10_000
    """Games in the store. Beyond that the oldest finished one is deleted for a new one."""
    turns: int = 2_000
    """Turns of a game to resume."""
