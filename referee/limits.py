"""How long the referee waits and how much it reads, apart from the players' clocks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in bytes."""

    handshake: float = 60.0
    """From the start of an engine's process to the end of its first answers."""
    setting_up: float = 60.0
    """For setting up a game: `set_game`, `boardsize`, options, the clock. Engines may compile."""
    margin: float = 0.1
    """Granted on top of a clock's allowance, for the way there and back."""
    last_play: float = 2.0
    """For taking note of a game's last turn."""
    grace: float = 2.0
    """From `quit` to SIGKILL."""
    line: int = 65_536
    """The longest line of a reply."""
    reply: int = 1 << 20
    """The longest reply."""
    stderr: int = 16_384
    """How much of the end of an engine's standard error is kept."""
