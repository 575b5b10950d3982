"""A board's symmetries as tables of indices, by which positions and policies are turned alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.solver.tables import permutations
from oddly.games import Drop, Exchange, Move
from oddly.learning.observations import grid_shape, places_on

if TYPE_CHECKING:
    from oddly.games import Action, Game


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
        """Return the observations and policies as that symmetry turns them; nothing is changed.

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
    """Return the symmetries of a game. Raises ValueError where its rules are not symmetric.

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
        [game.action_number(_turned(game, game.action_of(number), view, is_exchanged))
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


def _turned(game: Game, action: Action, view: np.ndarray, is_exchanged: bool) -> Action:
    vertices, index = game.board.vertices, game.board.index
    if isinstance(action, Drop):
        colour = action.colour.other if is_exchanged else action.colour
        return Drop(colour, vertices[view[index[action.vertex]]])
    if isinstance(action, Move):
        ends = action.origin, action.destination
        return Move(*(vertices[view[index[end]]] for end in ends))
    return action
