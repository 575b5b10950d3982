"""What the listening end of a bridge bears."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BridgeLimits:
    """What a listener bears. Times in seconds, sizes in bytes."""

    sessions: int = 16
    """Engines that run at once."""
    strangers: int = 16
    """Connections that have not shaken hands yet."""
    handshake: float = 10.0
    idle: float = 3600.0
    """Without a byte in either direction."""
    stall: float = 60.0
    """For the other side to take what the engine wrote."""
    grace: float = 2.0
    """From the end of input to the engine's end, and from then to SIGKILL."""
    stderr: int = 16_384
