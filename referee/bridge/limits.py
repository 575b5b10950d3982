"""Limits of the listening end of a bridge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BridgeLimits:
    """Limits of a listener. Times are in seconds, sizes in bytes."""

    sessions: int = 16
    """Engines running at once."""
    strangers: int = 16
    """Connections that are still in the handshake."""
    handshake: float = 10.0
    idle: float = 3600.0
    """Time without a byte in either direction."""
    stall: float = 60.0
    """Time for the other end to read what the engine wrote."""
    grace: float = 2.0
    """Time from the end of input to the end of the engine, and from then to SIGKILL."""
    stderr: int = 16_384
