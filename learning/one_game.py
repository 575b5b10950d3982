"""One game as a learning program plays it and sees it: by actions, as planes and as a picture.

A plane is a table of 0 and 1 over the board. It has a row for each row of the board, the lowest
first, and a column for each letter. A hexhex board of base b fills 2b - 1 rows and columns except
two corners: `board` says where it is.

A board's symmetries are tables of indices that turn positions and policies alike.

A game is shown as text, or as pixels: a square for each point, drawn without a library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import index
from typing import SupportsIndex

import numpy as np

from oddly.games import (
    Board,
    Colour,
    DropPosition,
    Exchange,
    Game,
    Position,
    Swap,
    did_you_mean,
    draw,
)
from oddly.games.board import permutations
from oddly.games.drop_level import seen

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

TILE = 16
"""Pixels on a side of a square; stones leave two free on each."""
PAPER, POINT = (255, 255, 255), (214, 190, 140)
STONES = {Colour.BLACK: (20, 20, 20), Colour.WHITE: (245, 245, 245)}

RENDER_MODES = ["ansi", "human", "rgb_array"]


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
