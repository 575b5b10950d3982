"""Two engines that meet for one or more colour-swapped pairs of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tournaments.results.played_game import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.outcome import Outcome
    from tournaments.schedule import ScheduledGame


class Encounter:
    """The games of two engines against each other, and their outcomes so far."""

    def __init__(self, one: str, other: str, games: Iterable[ScheduledGame]) -> None:
        self.one = one
        self.other = other
        self.games = list(games)
        self._outcomes: dict[str, Outcome] = {}

    def learn(self, scheduled: ScheduledGame, outcome: Outcome) -> None:
        """Take note that one of its games has ended."""
        self._outcomes[scheduled.id] = outcome

    @property
    def is_decided(self) -> bool:
        """Whether all its games have ended and count."""
        return len(self.played) == len(self.games)

    @property
    def is_void(self) -> bool:
        """Whether a game was void, so that it must be played again before anything is decided."""
        return any(outcome.is_void for outcome in self._outcomes.values())

    @property
    def played(self) -> list[PlayedGame]:
        """The games that have ended and count."""
        return [
            PlayedGame(scheduled, self._outcomes[scheduled.id])
            for scheduled in self.games
            if scheduled.id in self._outcomes and not self._outcomes[scheduled.id].is_void
        ]

    def points_of(self, name: str) -> float:
        """Return the points of one of the two engines so far."""
        return sum(game.points[game.scheduled.first != name] for game in self.played)

    def opponent_of(self, name: str) -> str:
        """Return the other of the two engines."""
        return self.other if name == self.one else self.one

    def facts(self) -> dict[str, Any]:
        """Return the engines and their points as plain values for JSON."""
        names = (self.one, self.other)
        return {"engines": list(names), "points": [self.points_of(name) for name in names]}
