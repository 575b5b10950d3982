"""A scheduled game with its outcome: what all results are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.outcome import Outcome
    from tournaments.schedule import ScheduledGame


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A scheduled game with its outcome."""

    scheduled: ScheduledGame
    outcome: Outcome

    @property
    def points(self) -> tuple[float, float]:
        """The points of the first player and of the second."""
        if self.outcome.is_void:
            return 0.0, 0.0
        if self.outcome.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.outcome.winner == 0 else (0.0, 1.0)
