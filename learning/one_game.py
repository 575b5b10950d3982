"""One game by actions, as the adapters play it: who is to move, and who has won."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import Colour, DropPosition, Swap

if TYPE_CHECKING:
    from oddly.games import Game, Position


class OneGame:
    """A game that goes on from action to action by the plain rules.

    Players are 0, who begins as Black, and 1. After a swap, player 1 has Black's colour.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.position: Position | DropPosition = game.start()
        self._is_exchanged = False

    def copy(self) -> OneGame:
        """Return the same game, which then goes on by itself."""
        other = OneGame(self.game)
        other.position, other._is_exchanged = self.position, self._is_exchanged
        return other

    @property
    def start_of_turn(self) -> Position:
        """The position in which the turn began that is under way."""
        position = self.position
        return position.start if isinstance(position, DropPosition) else position

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.position.is_over

    @property
    def player(self) -> int:
        """The player to move."""
        return int(self.position.to_move is Colour.WHITE) ^ self._is_exchanged

    def step(self, number: int) -> None:
        """Play the action of that number. Raises IllegalTurn, after which all is as it was."""
        after = self.position.play_action(number)
        self._is_exchanged ^= isinstance(self.game.action_of(number), Swap)
        self.position = after

    def rewards(self) -> tuple[float, float]:
        """Return 1 for the player who has won and -1 for the other; 0 for both before, or drawn."""
        result = self.position.result
        if result is None or result.winner is None:
            return 0.0, 0.0
        winner = int(result.winner is Colour.WHITE) ^ self._is_exchanged
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)
