"""Weights that predict what a search tries: softmax regression on examples.

The loss is the cross entropy, in nats, between the shares of the simulations and the softmax of
the actions' scores, less the entropy of the shares: 0 would be perfect. Its gradient is followed
by Adam (Kingma and Ba, ICLR 2015) over random batches of positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from oddly.study.training.self_play import Examples

BATCH = 512
RATE = 0.02
MOMENTUM, SECOND_MOMENTUM, TINY = 0.9, 0.999, 1e-8
RIDGE = 2e-6
"""Pulls the weights of features hardly ever seen to 0."""

HELD_BACK = 10
"""One position in that many is not learnt from, but shows how good the weights are."""


class Losses(NamedTuple):
    """The loss in nats on held-out positions, without weights and with them."""

    before: float
    after: float


def fit(examples: Examples, weights: int, epochs: int, seed: int) -> tuple[np.ndarray, Losses]:
    """Return that many weights, learnt in some passes over the examples, and their loss."""
    draw = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(examples.counts)])
    positions = np.arange(len(examples.counts))
    held_back = positions % HELD_BACK == HELD_BACK - 1
    taught, shown = positions[~held_back], positions[held_back]
    found = np.zeros(weights)
    slope, square = np.zeros(weights), np.zeros(weights)
    steps = 0
    total = epochs * -(-len(taught) // BATCH)
    for _ in range(epochs):
        draw.shuffle(taught)
        for first in range(0, len(taught), BATCH):
            gradient = _gradient(examples, starts, taught[first : first + BATCH], found)
            gradient += RIDGE * found
            steps += 1
            slope = MOMENTUM * slope + (1 - MOMENTUM) * gradient
            square = SECOND_MOMENTUM * square + (1 - SECOND_MOMENTUM) * gradient**2
            rate = RATE * (1 - steps / (total + 1))
            rate *= np.sqrt(1 - SECOND_MOMENTUM**steps) / (1 - MOMENTUM**steps)
            found -= rate * slope / (np.sqrt(square) + TINY)
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
    """Return the rows of all actions of a batch, where each position's begin, and whose each is."""
    counts = examples.counts[batch]
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    owners = np.repeat(np.arange(len(batch)), counts)
    rows = np.arange(len(owners)) - firsts[owners] + starts[batch][owners]
    return rows, firsts, owners


def _softmax(scores: np.ndarray, firsts: np.ndarray, owners: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - np.maximum.reduceat(scores, firsts)[owners])
    return np.asarray(powers / np.add.reduceat(powers, firsts)[owners])
