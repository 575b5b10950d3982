"""What a learning program sees of a position: planes over the board, each a table of 0 and 1.

A plane has a row for each row of the board, the lowest first, and a column for each letter. A
hexhex board of base b fills 2b - 1 rows and columns except two corners: `board` says where it is.

A board's symmetries are tables of indices that turn positions and policies alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from oddly.engines.board_symmetries import permutations, seen
from oddly.games import Board, Colour, DropPosition, Exchange, Game, Position

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
    """Return the place in a plane of each index of a board, row by row; int64, read-only."""
    _, columns = grid_shape(board)
    places = np.array([(row - 1) * columns + column - 1 for column, row in board.coordinates])
    places.flags.writeable = False
    return places


def observation(position: Position | DropPosition) -> np.ndarray:
    """Return the planes of a position: uint8, shape `observation_shape(game)`.

    `PLANES` has their names: `black` and `white` are 1 where such a stone lies, `board` is 1 where
    the board is. The others are 1 everywhere or nowhere: this turn has a stone already
    (`half_turn`), the last turn was a pass (`passed`), White is to move, the number of counted
    groups is `odd`, a swap is open (`may_swap`).

    >>> import oddly
    >>> from oddly.learning import PLANES, observation
    >>> planes = observation(oddly.create_game("yodd", 2).start().play("Bb2"))
    >>> planes.shape, [int(planes[PLANES.index(name)].sum()) for name in ("black", "odd")]
    ((8, 3, 3), [1, 9])
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


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The symmetries of a game's board, the identity first: 12 on hexhex boards, 8 on squares.

    In Odd, where the colours of all stones may be exchanged while the players stay, each comes
    twice: the second half exchanges black and white.

    - `cells`: int64, (symmetries, cells), where the stone of each index goes;
    - `actions`: int64, (symmetries, actions), the number that each action becomes;
    - `exchanges`: bool, (symmetries,), whether black and white are exchanged;
    - `sources`: int64, (symmetries, rows * columns), where each place of a new plane comes from.
    """

    cells: np.ndarray
    actions: np.ndarray
    exchanges: np.ndarray
    sources: np.ndarray

    def __len__(self) -> int:
        return len(self.cells)

    def augment(
        self, observations: np.ndarray, policies: np.ndarray, symmetry: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return copies of the observations and policies, turned by that symmetry.

        `observations`: shape (..., planes, rows, columns); `policies`, or masks: (..., actions).
        """
        *others, rows, columns = observations.shape
        flat = observations.reshape(*others, rows * columns)
        turned = flat[..., self.sources[symmetry]].reshape(observations.shape)
        if self.exchanges[symmetry]:
            turned[..., [0, 1], :, :] = turned[..., [1, 0], :, :]
        policy = np.empty_like(policies)
        policy[..., self.actions[symmetry]] = policies
        return turned, policy


@cache
def symmetries(game: Game) -> Symmetries:
    """Return the symmetries of a game. Raises ValueError if its rules are not symmetric.

    >>> import oddly
    >>> from oddly.learning import symmetries
    >>> found = symmetries(oddly.create_game("yodd", 3))
    >>> len(found), found.cells.shape, found.actions.shape
    (12, (12, 19), (12, 40))
    """
    if not game.is_symmetric:
        raise ValueError(f"{game.title} is not known to be the same on a board that is turned")
    board, places = game.board, places_on(game.board)
    rows, columns = grid_shape(board)
    views = np.array(permutations(board))
    sources = np.tile(np.arange(rows * columns), (len(views), 1))
    for source, view in zip(sources, views, strict=True):
        source[places[view]] = places
    exchanges = [False, True] if game.exchange is Exchange.STONES else [False]
    actions = [
        [game.action_number(seen(game, game.action_of(number), view, is_exchanged))
         for number in range(game.action_count)]
        for is_exchanged in exchanges
        for view in views
    ]  # fmt: skip
    times = len(exchanges)
    return Symmetries(
        np.tile(views, (times, 1)),
        np.array(actions),
        np.repeat(exchanges, len(views)),
        np.tile(sources, (times, 1)),
    )
