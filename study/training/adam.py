"""Adam, by which weights follow the gradient of a loss over random batches of examples.

Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, with a rate that falls to
zero and a ridge, which pulls the weights of what is hardly ever seen to zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Return `weights` after some passes over the examples whose numbers are `taught`.

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
