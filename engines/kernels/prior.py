"""What is known of an action before it is tried: a prior, learnt from games that `rave` played.

A game's kernel gives the *features* of each action, numbers that do not depend on the size of the
board (`group_features.py`, `odd_features.py`); the prior has a weight for each, and the sum of an
action's weights is its *score*. The softmax of the scores is how often a search would try each
action. `oddly train` learns the weights: see docs/how-to/train-an-engine.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels import group_features, odd_features
from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.jit import by_state, compiled
from oddly.engines.kernels.odd_kernel import OddState
from oddly.engines.kernels.shipped import shipped
from oddly.games import Game, Odd, Xodd, Yodd

if TYPE_CHECKING:
    from types import ModuleType


KERNELS: dict[type[Game], ModuleType] = {
    Yodd: group_features,
    Xodd: group_features,
    Odd: odd_features,
}
"""The kernel of each game in which something can be learnt."""

FEATURES_AN_ACTION = 3

ZERO = np.float32(0)


class Prior(NamedTuple):
    """Weights of features, float32, and what the features need of each point of the board.

    Both are empty where nothing was learnt.
    """

    weights: np.ndarray
    places: np.ndarray


NO_PRIOR = Prior(np.zeros(0, np.float32), np.zeros(0, np.uint16))


def can_learn(game: Game) -> bool:
    """Return whether there can be a prior for `game`."""
    return type(game) in KERNELS


def learners() -> str:
    """Return the names of the games for which there can be a prior."""
    return ", ".join(game.name for game in KERNELS)


def weight_count(game: Game) -> int:
    """Return how many weights there are to learn. Raises KeyError if the game can have no prior."""
    return int(KERNELS[type(game)].classes_of(game.board.shape)[1])


def classes_of(game: Game) -> np.ndarray:
    """Return the weight of each feature, by its place. Raises KeyError as `weight_count` does."""
    classes: np.ndarray = KERNELS[type(game)].classes_of(game.board.shape)[0]
    return classes


def places_of(game: Game) -> np.ndarray:
    """Return what features need of each point. Raises KeyError as `weight_count` does."""
    places: np.ndarray = KERNELS[type(game)].places_of(game.board)
    return places


def new_prior(game: Game, weights: np.ndarray | None = None) -> Prior:
    """Return the prior with those weights, or with those that are shipped for the game, if any."""
    if weights is None:
        weights = shipped_weights(game)
    kernel = KERNELS.get(type(game))
    if weights is None or kernel is None:
        return NO_PRIOR
    classes, _ = kernel.classes_of(game.board.shape)
    return Prior(weights.astype(np.float32)[classes], kernel.places_of(game.board))


def shipped_weights(game: Game) -> np.ndarray | None:
    """Return the weights that were learnt for a game; None if there are none."""
    return shipped(weights_file(game))


def weights_file(game: Game) -> str:
    """Return the name of the file with the weights of a game."""
    return f"{game.name}_prior.npy"


@compiled
def _no_situation(state, places):  # type: ignore[no-untyped-def]
    return 0, 0


@compiled
def _no_features(state, places, situation, phase, action):  # type: ignore[no-untyped-def]
    return 0, 0, 0


_situation_of = by_state(
    {
        GroupState: group_features.situation_of,
        OddState: odd_features.situation_of,
        AyuState: _no_situation,
    }
)
_features_of = by_state(
    {
        GroupState: group_features.features_of,
        OddState: odd_features.features_of,
        AyuState: _no_features,
    }
)


@compiled
def score(state, prior, actions, first, count, scores):  # type: ignore[no-untyped-def]
    """Write the scores of `count` actions, which lie in `actions` from place `first` on."""
    weights = prior.weights
    situation, phase = _situation_of(state, prior.places)
    for place in range(count):
        one, two, three = _features_of(
            state, prior.places, situation, phase, np.int64(actions[first + place])
        )
        scores[place] = weights[one] + weights[two] + weights[three]


@compiled
def describe(state, prior, actions, count, features):  # type: ignore[no-untyped-def]
    """Write the features of `count` actions to `features`, shape (count, FEATURES_AN_ACTION)."""
    situation, phase = _situation_of(state, prior.places)
    for place in range(count):
        one, two, three = _features_of(
            state, prior.places, situation, phase, np.int64(actions[place])
        )
        features[place, 0], features[place, 1], features[place, 2] = one, two, three
