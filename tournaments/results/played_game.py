"""A scheduled game with its outcome: what all results are made of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.referee.justice.outcome import Outcome
    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.schedule import ScheduledGame


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A scheduled game with its outcome."""

    scheduled: ScheduledGame
    outcome: Outcome
    digest: int = 0
    """Equal for games with the same opening and turns, see `turns_digest`; 0 if it is not known."""

    @property
    def points(self) -> tuple[float, float]:
        """The points of the first player and of the second."""
        if self.outcome.is_void:
            return 0.0, 0.0
        if self.outcome.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.outcome.winner == 0 else (0.0, 1.0)


def turns_digest(record: GameRecord) -> int:
    """Return a number of 63 bits that games with the same opening and turns have in common."""
    words = (str(record.opening), *(turn.turn for turn in record.turns))
    text = " ".join(words).encode("utf-8", "backslashreplace")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
