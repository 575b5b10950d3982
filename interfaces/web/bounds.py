"""How much of everything the page allows: requests, games, memory and time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Sizes in bytes, times in seconds."""

    games: int = 8
    """Games on the page at once; each may have two engine processes."""
    players: int = 256
    """WebSockets of players at once."""
    spectators: int = 256
    """WebSockets of spectators at once."""
    requests: float = 50.0
    """Requests a second from one address, on average."""
    request_burst: int = 400
    """Requests that may come at once from one address."""
    openings: float = 1 / 300
    """Games a second that one address may open, on average."""
    opening_burst: int = 60
    """Games that one address may open at once."""
    fetches: float = 1 / 10
    """Games a second that one address may have fetched from the store, on average."""
    fetch_burst: int = 30
    """Games that one address may have fetched at once."""
    body: int = 65_536
    """The body of a POST."""
    file_body: int = (2 << 20) + 65_536
    """The body of a POST with a file: JSON or Base64 makes 1 MiB longer, at most twice as long."""
    files: int = 32
    """Files that are received and read at once, one from each address."""
    body_seconds: float = 15.0
    """The time within which a POST must arrive."""
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
    """Games in the store: more than one address can open before its first are deleted."""
    turns: int = 2_000
    """Turns of a game to resume."""
