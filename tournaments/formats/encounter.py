"""Two engines that meet for one or more colour-swapped pairs of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.tournaments.results.sequential import played_pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.tournaments.results.played_game import PlayedGame
    from oddly.tournaments.results.schedule import ScheduledGame
    from oddly.tournaments.results.sequential import PlayedPair


class Encounter:
    """The games of two engines against each other, with their results so far."""

    def __init__(self, one: str, other: str, games: Iterable[ScheduledGame]) -> None:
        self.one = one
        self.other = other
        self.games = list(games)
        self._ended: dict[str, PlayedGame] = {}

    def learn(self, played: PlayedGame) -> None:
        """Record that one of its games has ended."""
        self._ended[played.scheduled.id] = played

    @property
    def is_decided(self) -> bool:
        """Whether all its games have ended and count."""
        return len(self.played) == len(self.games)

    @property
    def is_void(self) -> bool:
        """Whether a game was void, so that it must be played again before anything is decided."""
        return any(game.outcome.is_void for game in self._ended.values())

    @property
    def played(self) -> list[PlayedGame]:
        """The games that have ended and count."""
        return [
            game
            for scheduled in self.games
            if (game := self._ended.get(scheduled.id)) is not None and not game.outcome.is_void
        ]

    def pair(self) -> PlayedPair:
        """Return the two finished games of one pair, from the first engine's side."""
        first, second = self.played
        return played_pair((first.points[0], first.digest), (second.points[1], second.digest))

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
