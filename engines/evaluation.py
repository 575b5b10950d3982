"""What an engine thinks of a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.drop_level import Action

MAX_CANDIDATES = 10
"""Lines of a reply to `evaluate`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that was looked at: its part of the search, and how often it won; both 0 to 1."""

    action: Action
    share: float
    win_rate: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How often the side to move wins, 0 to 1, over how many simulations; the best action first."""

    win_rate: float
    simulations: int
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        """As the protocol's `evaluate` answers, the best candidates only."""
        lines = [f"{self.win_rate:.4f} {self.simulations}"]
        lines += [
            f"{candidate.action} {candidate.share:.4f} {candidate.win_rate:.4f}"
            for candidate in self.candidates[:MAX_CANDIDATES]
        ]
        return "\n".join(lines)
