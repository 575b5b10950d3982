"""Games that the search plays with itself, and examples from them to learn from.

An *example* is a position that was searched: the features of each action and the share of the
simulations that tried it.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.interface import is_over
from oddly.engines.kernels.prior import FEATURES_AN_ACTION, Prior, classes_of, describe, places_of
from oddly.games.drop_level import DropPosition
from oddly.games.sampling import random_turn

if TYPE_CHECKING:
    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Settings
    from oddly.games.game import Game, Position

OPENING = 0.7
"""A game begins with random turns, until at most this part of the board is full."""

VARIETY = 0.15
"""How often an action is drawn by how often the search tried each, instead of the best one."""


class Examples(NamedTuple):
    """Examples from some positions.

    `counts` has the number of actions of each. `classes` has the classes of the features of all
    actions, one position after the other, shape (actions, FEATURES_AN_ACTION), uint16; `shares` has
    the part of the simulations of its position that tried each.
    """

    counts: np.ndarray
    classes: np.ndarray
    shares: np.ndarray


def joined(parts: list[Examples]) -> Examples:
    """Return all examples of several collections."""
    return Examples(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def play_game(searcher: Searcher, settings: Settings, simulations: int, seed: int) -> Examples:
    """Return the examples of a game, which `seed` decides."""
    random = Random(seed)
    searcher.forget(random.randrange(1 << 30))
    searcher.load(DropPosition(opening(searcher.game, random)))
    root, parts = searcher.root, []
    while not is_over(root):
        finding = searcher.think(settings, simulations=simulations)
        votes = searcher.votes()
        actions, visits = list(votes), [vote.visits for vote in votes.values()]
        if finding.is_proven or sum(visits) == 0:
            break
        if len(actions) > 1:
            parts.append(example_of(root, searcher.game, actions, visits))
        action = finding.action
        if random.random() < VARIETY:
            (action,) = random.choices(actions, visits)
        searcher.play(action)
    return joined(parts) if parts else NOTHING


def opening(game: Game, random: Random) -> Position:
    """Return a position after some random turns, with the game not over."""
    stones = random.random() * OPENING * len(game.board)
    position = game.start()
    while len(game.board) - position.stones.count(0) < stones:
        after = position.play(random_turn(position, random))
        if after.is_over:
            break
        position = after
    return position


def example_of(root: object, game: Game, actions: list[int], visits: list[float]) -> Examples:
    """Return the example of one position and what its search tried."""
    features = np.zeros((len(actions), FEATURES_AN_ACTION), np.int32)
    numbers = np.array(actions, np.int32)
    describe(root, Prior(NO_WEIGHTS, places_of(game)), numbers, len(actions), features)
    shares = np.array(visits, np.float32)
    classes = classes_of(game)[features].astype(np.uint16)
    return Examples(np.array([len(actions)], np.int32), classes, shares / shares.sum())


NO_WEIGHTS = np.zeros(0, np.float32)
NOTHING = Examples(
    np.zeros(0, np.int32), np.zeros((0, FEATURES_AN_ACTION), np.uint16), np.zeros(0, np.float32)
)
