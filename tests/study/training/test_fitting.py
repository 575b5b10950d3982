"""Softmax regression finds the weights that examples were drawn by."""

import numpy as np

from oddly.study.training.self_play import Examples, fit, joined

CLASSES = 12


def drawn(positions: int, weights: np.ndarray, seed: int) -> Examples:
    """Examples whose shares are just what the weights foretell."""
    draw = np.random.default_rng(seed)
    parts = []
    for _ in range(positions):
        count = int(draw.integers(2, 9))
        classes = draw.integers(0, CLASSES, (count, 3)).astype(np.uint16)
        powers = np.exp(weights[classes].sum(axis=1))
        shares = (powers / powers.sum()).astype(np.float32)
        parts.append(Examples(np.array([count], np.int32), classes, shares))
    return joined(parts)


def test_it_finds_the_weights_that_made_the_examples():
    weights = np.linspace(-1, 1, CLASSES)
    weights[0] = 0
    found, losses = fit(drawn(1500, weights, 1), CLASSES, 60, 1)
    assert losses.before > 0.2
    assert losses.after < 0.005
    # What all features of a position have in common makes no difference.
    differences = (found[1:] - found[1:].mean()) - (weights[1:] - weights[1:].mean())
    assert np.abs(differences).max() < 0.2


def test_the_same_seed_finds_the_same():
    examples = drawn(100, np.linspace(0, 1, CLASSES), 2)
    one, other = (fit(examples, CLASSES, 3, 5) for _ in range(2))
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == other[1]
