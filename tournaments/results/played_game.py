"""A scheduled game with its outcome, and which games are copies of others.

A copy is no new evidence. Deterministic engines play one game again and again from one opening, and
ratings or tests that counted each copy would become certain of anything.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.referee.justice.outcome import Outcome
    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.results.schedule import ScheduledGame


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


def content(record: GameRecord) -> tuple[object, ...]:
    """Return a key that a game shares with its copies."""
    outcome = record.outcome
    ending = outcome.winner, outcome.termination
    return record.game, *record.players, *ending, turns_digest(record)


class Repeats:
    """The games seen so far, as one number each."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def is_new(self, played: PlayedGame) -> bool:
        """Record a game; return whether it is new, not a copy.

        A game with unknown turns counts as new.
        """
        if not played.digest:
            return True
        scheduled = played.scheduled
        ending = played.outcome.winner, played.outcome.termination
        number = hash((scheduled.game, scheduled.first, scheduled.second, *ending, played.digest))
        if number in self._seen:
            return False
        self._seen.add(number)
        return True
