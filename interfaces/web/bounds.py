"""What strangers at the page may cost: every bound of the server, with its unit."""

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
    """Of a POST."""
    message: int = 2_048
    """Of a WebSocket."""
    rate: float = 20.0
    """Messages a second from one WebSocket, on average."""
    burst: int = 60
    """Messages that may come at once."""
    unread: int = 131_072
    """Of what was sent to a connection and not yet taken."""
    stalled: float = 6.0
    """How long a connection may take nothing of what was sent, before the system drops it."""
    idle: float = 1800.0
    """How long a game that nobody looks at is kept."""
    seconds: tuple[int, ...] = (1, 3, 10)
    """The times a turn that an engine may be given."""
    hint: float = 30.0
    """For a hint, once the engine is ready."""
    memory: int = 4096
    """MiB of address space of an engine's process."""
    turns: int = 2_000
    """Of a game that is gone on with."""
