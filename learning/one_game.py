"""One game by actions, as the adapters play it: who is to move, who has won, and how it is shown.

A position is shown as text, or as pixels: a square for each point, drawn without a library.
"""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

import numpy as np

from oddly.games import Colour, DropPosition, Game, Position, Swap, did_you_mean, draw
from oddly.learning.observations import grid_shape


class OneGame:
    """A game played action by action, by the plain rules.

    Players are 0, who begins as Black, and 1. After a swap, player 1 has Black's colour.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.position: Position | DropPosition = game.start()
        self._is_exchanged = False

    def copy(self) -> OneGame:
        """Return an independent copy of the game."""
        other = OneGame(self.game)
        other.position, other._is_exchanged = self.position, self._is_exchanged
        return other

    @property
    def start_of_turn(self) -> Position:
        """The position in which the current turn began."""
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

    def __str__(self) -> str:
        """Return the board where the current turn began, and its drops so far."""
        return draw(self.position)

    def text_of(self, number: int) -> str:
        """Return the action of that number as text; the number itself where there is none."""
        exists = 0 <= number < self.game.action_count
        return str(self.game.action_of(number) if exists else number)

    def step(self, number: int) -> None:
        """Play the action of that number. Raises IllegalTurn, and then changes nothing."""
        after = self.position.play_action(number)
        self._is_exchanged ^= isinstance(self.game.action_of(number), Swap)
        self.position = after

    def rewards(self) -> tuple[float, float]:
        """Return 1 for the winner and -1 for the other; 0 for both before the end or in a draw."""
        result = self.position.result
        if result is None or result.winner is None:
            return 0.0, 0.0
        winner = int(result.winner is Colour.WHITE) ^ self._is_exchanged
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def whole_number(action: SupportsIndex) -> int:
    """Return an action's number as Python's int. Raises TypeError if it is no whole number."""
    try:
        return index(action)
    except TypeError:
        raise TypeError(f"action {action!r}: expected a whole number") from None


TILE = 16
"""Pixels on a side of a square; stones leave two free on each."""
PAPER, POINT = (255, 255, 255), (214, 190, 140)
STONES = {Colour.BLACK: (20, 20, 20), Colour.WHITE: (245, 245, 245)}

RENDER_MODES = ["ansi", "human", "rgb_array"]


def check_render_mode(mode: str | None) -> None:
    """Raise ValueError for a mode that is not one of RENDER_MODES; None shows nothing."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(
            f"unknown render mode {mode!r}: expected one of {', '.join(RENDER_MODES)}"
            + did_you_mean(str(mode), RENDER_MODES)
        )


def rendered(game: OneGame, mode: str | None) -> str | np.ndarray | None:
    """Return the board as text (`ansi`) or pixels (`rgb_array`); print it for `human`."""
    if mode == "rgb_array":
        return pixels(game)
    text = str(game)
    if mode == "human":
        print(text)
    return text if mode == "ansi" else None


def pixels(game: OneGame) -> np.ndarray:
    """Return the board as uint8, (height, width, 3); the highest row comes first."""
    board = game.game.board
    rows, columns = grid_shape(board)
    # The rows of a hexhex board lie half a point to the right of those below.
    slant = TILE // 2 if board.shape == "hexhex" else 0
    image = np.full((rows * TILE, columns * TILE + (rows - 1) * slant, 3), PAPER, np.uint8)
    for (column, row), stone in zip(board.coordinates, game.position.stones, strict=True):
        top, left = (rows - row) * TILE, (column - 1) * TILE + (row - 1) * slant
        image[top : top + TILE - 1, left : left + TILE - 1] = POINT
        if stone:
            image[top + 2 : top + TILE - 3, left + 2 : left + TILE - 3] = STONES[Colour(stone)]
    return image
