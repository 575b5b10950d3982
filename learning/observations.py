"""What a learning program sees of a position: planes over the board, each a table of 0 and 1.

A plane has a row for each row of the board, the lowest first, and a column for each letter. A
hexhex board of base b fills 2b - 1 rows and columns, but for two corners: `board` says where it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oddly.games import Colour, DropPosition

if TYPE_CHECKING:
    from oddly.games import Board, Game, Position

PLANES = (
    "black",
    "white",
    "half_turn",
    "passed",
    "white_to_move",
    "odd",
    "may_swap",
    "board",
)
"""The planes in their order; `observation` says what each shows."""


def observation_shape(game: Game) -> tuple[int, int, int]:
    """Return the shape of an observation: planes, rows, columns."""
    rows, columns = grid_shape(game.board)
    return len(PLANES), rows, columns


@cache
def grid_shape(board: Board) -> tuple[int, int]:
    """Return how many rows and columns a board has."""
    columns, rows = (max(axis) for axis in zip(*board.coordinates, strict=True))
    return rows, columns


@cache
def places_on(board: Board) -> np.ndarray:
    """Return for each index of a board its place in a plane, row by row; int64, read-only."""
    _, columns = grid_shape(board)
    places = np.array([(row - 1) * columns + column - 1 for column, row in board.coordinates])
    places.flags.writeable = False
    return places


def observation(position: Position | DropPosition) -> np.ndarray:
    """Return the planes of a position: uint8, of the shape that `observation_shape` says.

    `PLANES` has their names: `black` and `white` are 1 where such a stone lies, `board` is 1 where
    the board is. Each other is 1 everywhere or nowhere: a stone of this turn lies already
    (`half_turn`), the last turn was a pass (`passed`), White is to move, the groups that count
    are `odd` in number, a swap is open (`may_swap`).

    >>> import oddly
    >>> from oddly.learning import PLANES, observation
    >>> planes = observation(oddly.create_game("yodd", 2).start().play("Bb2"))
    >>> planes.shape, planes[PLANES.index("black")].sum(), planes[PLANES.index("odd")].sum()
    ((8, 3, 3), 1, 9)
    """
    game = position.game
    start, half_turn = (
        (position.start, bool(position.drops))
        if isinstance(position, DropPosition)
        else (position, False)
    )
    planes = np.zeros((len(PLANES), *grid_shape(game.board)), np.uint8)
    flat = planes.reshape(len(PLANES), -1)
    places = places_on(game.board)
    stones = np.frombuffer(bytes(position.stones), np.uint8)
    flat[0, places[stones == Colour.BLACK]] = 1
    flat[1, places[stones == Colour.WHITE]] = 1
    flat[2:7] = np.array(
        [
            half_turn,
            start.status.passes > 0 and not half_turn,
            position.to_move is Colour.WHITE,
            position.group_counts.total % 2 == 1,
            start.status.may_swap,
        ]
    )[:, np.newaxis]
    flat[7, places] = 1
    return planes
