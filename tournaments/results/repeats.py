"""Copies of games: the same engines in the same seats, the same opening, turns and ending.

A copy is no new evidence. Deterministic engines play one game again and again from one opening, and
ratings or tests that counted each copy would become certain of anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.tournaments.results.played_game import turns_digest

if TYPE_CHECKING:
    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.results.played_game import PlayedGame


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
