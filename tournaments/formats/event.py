"""What a format is told: the event, and a contest for each of its games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tournaments.schedule import scheduled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.game import Game
    from tournaments.schedule import Opening, ScheduledGame


@dataclass(frozen=True, slots=True)
class Event:
    """What is played by whom. `openings` has those of each game that has any, one for each round.

    `begun` are the games that began in earlier runs, in this order, whether they ended or not.
    """

    name: str
    seed: int
    games: tuple[Game, ...]
    engines: tuple[str, ...]
    openings: Mapping[Game, Sequence[Opening]] = field(default_factory=dict)
    begun: Sequence[ScheduledGame] = ()

    def contests(self) -> dict[Game, Contest]:
        """One for each game."""
        return {
            game: Contest(
                game,
                self.engines,
                self.seed,
                self.name,
                tuple(self.openings.get(game, ())) or ((),),
                tuple(scheduled for scheduled in self.begun if scheduled.game == game),
            )
            for game in self.games
        }


@dataclass(frozen=True, slots=True)
class Contest:
    """One game of an event with the engines that play it, the first ones seeded highest."""

    game: Game
    engines: tuple[str, ...]
    seed: int
    event: str
    openings: tuple[Opening, ...] = ((),)
    begun: tuple[ScheduledGame, ...] = ()

    def pair(self, one: str, other: str, round_: int) -> list[ScheduledGame]:
        """A colour-swapped pair of games from the opening of that round.

        `round_` counts from 1; two engines may meet once in each. After the last opening the first
        comes again. Whoever plans the games numbers them.
        """
        opening = self.openings[(round_ - 1) % len(self.openings)]
        return [
            scheduled(0, self.game, round_, first, second, self.seed, self.event, opening)
            for first, second in ((one, other), (other, one))
        ]
