"""What a format plans for: the event, and a contest for each of its games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.tournaments.schedule import NO_OPENINGS, scheduled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.games.game import Game
    from oddly.tournaments.results.played_game import PlayedGame
    from oddly.tournaments.schedule import Book, RoundOfGame, ScheduledGame


@dataclass(frozen=True, slots=True)
class Event:
    """The games of an event, its engines and its openings.

    `openings` has the book of each game that has any. `begun` are the games that
    began in earlier runs, in this order, whether they ended or not.
    """

    name: str
    seed: int
    games: tuple[Game, ...]
    engines: tuple[str, ...]
    openings: Mapping[Game, Book] = field(default_factory=dict)
    begun: Sequence[ScheduledGame] = ()
    others: Sequence[PlayedGame] = ()
    """Games of merged ledgers, which are none of the schedule's."""
    retired: AbstractSet[str] = frozenset()
    """The engines that get no more games; it may grow and shrink during a run."""
    patience: int | None = None
    """The faults in a row after which an engine rests; None for any number."""
    full_rounds: AbstractSet[RoundOfGame] = frozenset()
    """The rounds in which all pairs of the schedule have met, which need not be looked through."""

    def contests(self) -> dict[Game, Contest]:
        """Return one contest for each game."""
        return {
            game: Contest(
                game,
                self.engines,
                self.seed,
                self.name,
                self.openings.get(game, NO_OPENINGS),
                tuple(scheduled for scheduled in self.begun if scheduled.game == game),
                tuple(played for played in self.others if played.scheduled.game == game),
                self.retired,
                self.patience,
            )
            for game in self.games
        }


@dataclass(frozen=True, slots=True)
class Contest:
    """One game of an event with the engines that play it, the first one seeded highest."""

    game: Game
    engines: tuple[str, ...]
    seed: int
    event: str
    openings: Book = NO_OPENINGS
    begun: tuple[ScheduledGame, ...] = ()
    others: tuple[PlayedGame, ...] = ()
    retired: AbstractSet[str] = frozenset()
    patience: int | None = None

    def pair(self, one: str, other: str, round_: int) -> list[ScheduledGame]:
        """Return a colour-swapped pair of games from the opening of that round.

        `round_` counts from 1; two engines meet at most once in each round. The games have
        no numbers yet: the plan gives them.
        """
        opening = self.openings.opening(round_)
        return [
            scheduled(0, self.game, round_, first, second, self.seed, self.event, opening)
            for first, second in ((one, other), (other, one))
        ]
