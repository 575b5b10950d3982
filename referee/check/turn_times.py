"""How long an engine thinks about its turns in a check's games, and how far beyond its clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.referee.check.conversation import Conversation

FEWEST = 6
"""The turns from which a whole game can be inferred."""


@dataclass
class TurnTimes:
    """The times of an engine's turns, in seconds."""

    turns: int = 0
    mean: float = 0.0
    slowest: float = 0.0
    slowest_busy: float = 0.0
    """The slowest on a busy machine."""
    sent: bytes = b""
    received: bytes = b""
    """The evidence of the slowest turn."""
    comes_whole: bool = True
    """Whether a question comes in one write; byte by byte it comes late."""
    _beyond: list[float] = field(default_factory=list)

    def note(
        self, seconds: float, allowed: float, conversation: Conversation, *, busy: bool
    ) -> None:
        """Note a turn that took `seconds`, with its evidence if it is the slowest.

        On a busy machine it says little.
        """
        self.turns += 1
        self.mean += (seconds - self.mean) / self.turns
        if busy:
            self.slowest_busy = max(self.slowest_busy, seconds)
            return
        if self.comes_whole:
            self._beyond.append(max(0.0, seconds - allowed))
        if seconds > self.slowest:
            self.slowest = seconds
            self.sent, self.received = conversation.sent, bytes(conversation.received)

    def beyond_in(self, turns: int) -> float:
        """Return the seconds beyond its clock that this many turns take together, as a rule.

        A few turns that are too slow may be chance.
        """
        return turns * median(self._beyond) if len(self._beyond) >= FEWEST else 0.0
