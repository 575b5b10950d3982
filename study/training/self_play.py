"""Games that the search plays against itself, and weights fitted to its choices.

An *example* is a position that was searched: the features of each action and the share of the
simulations that tried it. The loss is the cross entropy, in nats, between the shares of the
simulations and the softmax of the actions' scores, less the entropy of the shares: 0 would be
perfect.

Weights follow the gradient of a loss over random batches of examples by Adam: Kingma and Ba, "Adam:
a method for stochastic optimization", ICLR 2015. The rate falls to zero, and a ridge pulls the
weights of rare features to zero.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from oddly.engines.kernels.interface import is_over
from oddly.engines.kernels.learnt import FEATURES_AN_ACTION, Prior, classes_of, describe, places_of
from oddly.games import DropPosition, Game, Position, random_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Settings


BATCH = 512
RATE = 0.02
MOMENTUM, SECOND_MOMENTUM, TINY = 0.9, 0.999, 1e-8


def descend(
    gradient: Callable[[np.ndarray, np.ndarray], np.ndarray],
    weights: np.ndarray,
    taught: np.ndarray,
    *,
    epochs: int,
    ridge: float,
    seed: int,
) -> np.ndarray:
    """Return `weights` after `epochs` passes over the examples whose numbers are `taught`.

    `gradient` takes the numbers of a batch and the weights, and returns an array of their shape.
    """
    draw, taught = np.random.default_rng(seed), taught.copy()
    found, slope, square = weights.astype(float), np.zeros(weights.shape), np.zeros(weights.shape)
    steps, total = 0, epochs * -(-len(taught) // BATCH)
    for _ in range(epochs):
        draw.shuffle(taught)
        for first in range(0, len(taught), BATCH):
            now = gradient(taught[first : first + BATCH], found) + ridge * found
            steps += 1
            slope = MOMENTUM * slope + (1 - MOMENTUM) * now
            square = SECOND_MOMENTUM * square + (1 - SECOND_MOMENTUM) * now**2
            rate = RATE * (1 - steps / (total + 1))
            rate *= np.sqrt(1 - SECOND_MOMENTUM**steps) / (1 - MOMENTUM**steps)
            found -= rate * slope / (np.sqrt(square) + TINY)
    return found


OPENING = 0.7
"""A game begins with random turns, which fill at most this share of the board."""

VARIETY = 0.15
"""How often an action is drawn in proportion to its simulations, instead of taking the best."""


class Examples(NamedTuple):
    """Examples from some positions.

    `counts` has the number of actions of each. `classes` has the classes of the features of all
    actions, one position after the other, shape (actions, FEATURES_AN_ACTION), uint16; `shares` has
    the share of its position's simulations that tried each action.
    """

    counts: np.ndarray
    classes: np.ndarray
    shares: np.ndarray


Collection = TypeVar("Collection", bound="tuple[np.ndarray, ...]")


def joined(parts: list[Collection]) -> Collection:
    """Return all examples of several collections, NamedTuples of arrays."""
    make: Callable[..., Collection] = type(parts[0])
    return make(*(np.concatenate(column) for column in zip(*parts, strict=True)))


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


def opening(game: Game, random: Random, most: float = 1.0) -> Position:
    """Return a position after some random turns, before the end of the game.

    They fill at most the share `most` of what OPENING allows.
    """
    stones = most * random.random() * OPENING * len(game.board)
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


RIDGE = 2e-6
"""Pulls the weights of rare features to 0."""

HELD_BACK = 10
"""One position in this many is held out to measure the weights."""

NATS = 3
"""Decimals of a loss, where it is shown."""


class Losses(NamedTuple):
    """The loss in nats on held-out positions, without weights and with them.

    `thirds` has the latter for positions with up to a third of the board full, up to two thirds,
    and more; it is empty if these are not told apart.
    """

    before: float
    after: float
    thirds: tuple[float, ...] = ()


def fit(examples: Examples, weights: int, epochs: int, seed: int) -> tuple[np.ndarray, Losses]:
    """Return `weights` weights learnt in `epochs` passes over the examples, and their losses."""
    starts = np.concatenate([[0], np.cumsum(examples.counts)])
    positions = np.arange(len(examples.counts))
    held_back = positions % HELD_BACK == HELD_BACK - 1
    taught, shown = positions[~held_back], positions[held_back]
    found = descend(
        partial(_gradient, examples, starts),
        np.zeros(weights),
        taught,
        epochs=epochs,
        ridge=RIDGE,
        seed=seed,
    )
    found[0] = 0.0
    losses = Losses(
        loss(examples, starts, shown, np.zeros(weights)), loss(examples, starts, shown, found)
    )
    return found.astype(np.float32), losses


def _gradient(
    examples: Examples, starts: np.ndarray, batch: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    rows, firsts, owners = _rows(examples, starts, batch)
    classes = examples.classes[rows]
    chances = _softmax(weights[classes].sum(axis=1), firsts, owners)
    errors = (chances - examples.shares[rows]) / len(batch)
    return np.bincount(classes.ravel(), np.repeat(errors, classes.shape[1]), minlength=len(weights))


def loss(
    examples: Examples, starts: np.ndarray, positions: np.ndarray, weights: np.ndarray
) -> float:
    """Return the average loss of the positions with these numbers."""
    if len(positions) == 0:
        return 0.0
    total = 0.0
    for first in range(0, len(positions), BATCH):
        batch = positions[first : first + BATCH]
        rows, firsts, owners = _rows(examples, starts, batch)
        chances = _softmax(weights[examples.classes[rows]].sum(axis=1), firsts, owners)
        shares = examples.shares[rows].astype(float)
        total += float(np.sum(shares * (np.log(shares + 1e-12) - np.log(chances + 1e-12))))
    return total / len(positions)


def _rows(
    examples: Examples, starts: np.ndarray, batch: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the action rows of a batch, where each position's begin, and each row's position."""
    counts = examples.counts[batch]
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    owners = np.repeat(np.arange(len(batch)), counts)
    rows = np.arange(len(owners)) - firsts[owners] + starts[batch][owners]
    return rows, firsts, owners


def _softmax(scores: np.ndarray, firsts: np.ndarray, owners: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - np.maximum.reduceat(scores, firsts)[owners])
    return np.asarray(powers / np.add.reduceat(powers, firsts)[owners])
