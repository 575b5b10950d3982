"""What a format plans for: the event, and a contest for each of its games."""

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
    """The games of an event, its engines and its openings.

    `openings` has, for each game that has any, one opening a round. `begun` are the games that
    began in earlier runs, in this order, whether they ended or not.
    """

    name: str
    seed: int
    games: tuple[Game, ...]
    engines: tuple[str, ...]
    openings: Mapping[Game, Sequence[Opening]] = field(default_factory=dict)
    begun: Sequence[ScheduledGame] = ()

    def contests(self) -> dict[Game, Contest]:
        """Return one contest for each game."""
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
    """One game of an event with the engines that play it, the first one seeded highest."""

    game: Game
    engines: tuple[str, ...]
    seed: int
    event: str
    openings: tuple[Opening, ...] = ((),)
    begun: tuple[ScheduledGame, ...] = ()

    def pair(self, one: str, other: str, round_: int) -> list[ScheduledGame]:
        """Return a colour-swapped pair of games from the opening of that round.

        `round_` counts from 1; two engines meet at most once in each round. After the last opening
        the first one is used again. The games have no numbers yet: the plan gives them.
        """
        opening = self.openings[(round_ - 1) % len(self.openings)]
        return [
            scheduled(0, self.game, round_, first, second, self.seed, self.event, opening)
            for first, second in ((one, other), (other, one))
        ]
