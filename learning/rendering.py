"""A position as text, or as pixels: a square for each point, and no library to draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddly.games import Colour, draw
from oddly.learning.observations import grid_shape

if TYPE_CHECKING:
    from oddly.learning.one_game import OneGame

TILE = 16
"""Pixels of a square's side; stones leave two of them free on each."""
PAPER, POINT = (255, 255, 255), (214, 190, 140)
STONES = {Colour.BLACK: (20, 20, 20), Colour.WHITE: (245, 245, 245)}

RENDER_MODES = ["ansi", "human", "rgb_array"]


def rendered(game: OneGame, mode: str | None) -> str | np.ndarray | None:
    """Return the board as text (`ansi`) or pixels (`rgb_array`); print it for `human`."""
    if mode == "rgb_array":
        return pixels(game)
    text = draw(game.start_of_turn)
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
