"""A game of the arena as the engine's side knows it: who plays what, and the turns so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oddly.arena.wire.members import WireError
from oddly.games import Colour, Game, GameError, IllegalTurn, Position, create_game
from oddly.protocol import NotationError, parse_time_control, parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.arena.wire.from_arena import GameStart, PoolOffer
    from oddly.protocol import TimeControl


@dataclass(frozen=True, slots=True)
class SeatedGame:
    """A game in progress. A new turn makes a new table."""

    start: GameStart
    game: Game
    time: TimeControl
    position: Position
    turns: tuple[tuple[Colour, str], ...]
    """All turns so far in canonical form, each with the colour that played it."""

    @classmethod
    def of(cls, start: GameStart) -> SeatedGame:
        """Return the table of a game that begins or goes on. Raises WireError for nonsense."""
        try:
            game, time = game_of(start), parse_time_control(start.time)
        except (GameError, NotationError) as error:
            raise WireError(f"start: {error}") from None
        return cls(start, game, time, game.start(), ()).after(start.turns)

    @property
    def id(self) -> str:
        """The game's id."""
        return self.start.id

    @property
    def number(self) -> int:
        """How many turns have been played."""
        return len(self.turns)

    @property
    def texts(self) -> tuple[str, ...]:
        """The turns without their colours."""
        return tuple(turn for _, turn in self.turns)

    def after(self, turns: Sequence[str]) -> SeatedGame:
        """Return the table after more turns. Raises WireError if one is not legal."""
        position, played = self.position, list(self.turns)
        for text in turns:
            try:
                turn = parse_turn(text)
                played.append((position.to_move, str(turn)))
                position = position.play(turn)
            except (NotationError, IllegalTurn) as error:
                raise WireError(f"turn {len(played)} of game {self.id}: {error}") from None
        return replace(self, position=position, turns=tuple(played))

    def caught_up(self, number: int, last: Sequence[str]) -> SeatedGame:
        """Return the table when `number` turns are played, of which `last` are the last.

        Raises WireError if turns are missing.
        """
        new = number - self.number
        if new > len(last):
            raise WireError(f"turn {self.number + 1} of game {self.id} is missing")
        return self.after(last[len(last) - new :]) if new > 0 else self


def game_of(offer: GameStart | PoolOffer) -> Game:
    """Return the game with its size and settings. Raises GameError."""
    return create_game(offer.game, offer.size, offer.settings)
