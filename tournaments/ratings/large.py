"""Ratings of thousands of engines: the same peak, and error bars from a sample.

Nothing here builds a matrix of all engines by all engines. The covariance is known from a sample of
SAMPLE points, which is enough for the bar of any rating and of any difference: its standard error
is 1 / sqrt(2 SAMPLE) of the bar, 3 %.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.advantage import bias_of_advantage
from oddly.tournaments.ratings.fit import Fit, Variation, fit_and_variation
from oddly.tournaments.ratings.posterior import (
    LEAST_VARIANCE,
    MAX_STEPS,
    PRECISION,
    Likelihood,
    Posterior,
)
from oddly.tournaments.ratings.sparse import SparseInformation, needs_scipy

if TYPE_CHECKING:
    from oddly.tournaments.ratings.ordered_pairs import Array, Indices, Results

SAMPLE = 512
"""The points of a sample."""
SAMPLE_OF_SUM = 64
"""The points of a sample of which only a sum over all pairs is needed, whose errors cancel out."""
LARGE_VARIANCE = 0.25
"""The variance of a wide rating or difference, in square nats: a standard deviation of 87 Elo."""
MAX_WIDE = 10_000
"""The most ratings, and differences, of which each is compared with each."""


class LargeFit:
    """The peak of the posterior of many engines, and its surroundings.

    Raises MissingExtraError without SciPy, and ArithmeticError if no peak is found.
    """

    def __init__(self, results: Results, prior: float) -> None:
        needs_scipy("rating thousands of engines")
        self.posterior = Posterior(results, prior)
        self.groups = self.posterior.groups
        self.peak = sparse_peak(self.posterior)
        self._information = SparseInformation(self.posterior, self.peak, self.groups)
        model = self._model = self._information.sample(
            Variation(self.posterior, self.peak).draw, SAMPLE
        )

        def variances(one: Indices, other: Indices) -> Array:
            parts = [model[:, one[k]] - model[:, other[k]] for k in _parts(len(one))]
            return np.concatenate([np.mean(part**2, axis=0) for part in parts])

        self.fit: Fit
        self.fit, self._variation, self._scale = fit_and_variation(
            results, self.posterior, self.peak, variances
        )

    def moves(self) -> Array:
        """Return how fast the peak moves with the logarithm of the prior."""
        return self._information.solve(self.posterior.pull(self.peak))

    def sample(self) -> Array:
        """Return points around the peak, relative to the mean of each group."""
        drawn = self._information.sample(self._variation.draw, SAMPLE)
        drawn[:, :-1] *= self._scale
        return drawn

    def advantage_variances(self) -> tuple[float, float]:
        """Return the variance of the advantage, and what it would be if games were independent."""
        right = np.zeros(self.posterior.engines + 1)
        right[-1] = 1.0
        step = self._information.solve(right)
        return float(step @ (self._variation @ step)), float(step[-1])

    def information_gain(self, none: Posterior, without: Array) -> float:
        """Return by how much an advantage raises the logarithm of the information's determinant.

        `without` is the peak of the posterior `none`, which has no advantage. Between the peaks
        the determinant of the ratings' information changes with that of each pair, times the share
        of it that went into the ratings; this is taken from a sample halfway.
        """
        middle = (self.peak + without) / 2
        halfway = SparseInformation(none, middle, self.groups)
        sample = halfway.sample(Variation(none, middle).draw, SAMPLE_OF_SUM)
        sample[:, -1] = 0.0
        leverage = halfway.weights * _variances_of_odds(none, sample)
        change = np.log(none.weights(self.peak) / none.weights(without))
        return float(leverage @ change) - math.log(self.advantage_variances()[1])

    def advantage_bias(self) -> float:
        """Return how far beyond the truth the advantage is expected to be."""
        of_odds = _variances_of_odds(self.posterior, self._model)
        return bias_of_advantage(self.posterior, self.peak, self._information, of_odds)

    def likelihood(self, anchor: int | None, sample: Array) -> Likelihood:
        """Return the posterior around the peak; `sample` has draws of the ratings."""
        groups, peak = self.groups, self.peak

        def contrast(engine: int) -> Array:
            found = np.zeros(len(peak))
            same = np.flatnonzero(groups == groups[engine])
            if anchor is None or groups[anchor] != groups[engine]:
                found[same] = -1 / len(same)
            else:
                found[anchor] = -1.0
            found[engine] += 1.0
            return found

        model = centred_on(self._model[:, :-1], groups, anchor)
        leaning = self._leaning(model, sample, anchor)
        robust = _Robust(self._information, self._variation, self._scale)
        return Likelihood(self.posterior, peak, self._information, robust, contrast, leaning)

    def _leaning(self, model: Array, sample: Array, anchor: int | None) -> Array:
        """Return how much the posterior leans along each rating.

        Where little is known, a rating moves others along, so all games that say little about their
        engines count. Of the others, only those of the engine itself and of the anchor do, because
        a change of its rating is concentrated there: other ratings follow as the sample says.
        """
        posterior = self.posterior
        chance = 1 / (1 + np.exp(-posterior.log_odds(self.peak)))
        third = self._information.weights * (1 - 2 * chance)
        variance, robust = (np.mean(each**2, axis=0) for each in (model, sample))
        scale = np.sqrt(robust) / np.maximum(variance, LEAST_VARIANCE) ** 2
        leaning = np.zeros(posterior.engines)
        of_pair = np.empty(len(third))
        for k in _parts(len(third)):
            one, other = posterior.first[k], posterior.second[k]
            apart = model[:, one] - model[:, other]
            of_pair[k] = np.mean(apart**2, axis=0)
            for engine in (one, other):
                moves = np.mean(model[:, engine] * apart, axis=0)
                np.add.at(leaning, engine, third[k] * moves**3)
        of_anchor = (posterior.first == anchor) | (posterior.second == anchor)
        for entry in np.flatnonzero(of_anchor).tolist():
            pair = [int(posterior.first[entry]), int(posterior.second[entry])]
            moves = model.T @ (model[:, pair[0]] - model[:, pair[1]]) / len(model)
            # The games with the anchor have already been counted.
            moves[pair] = 0.0
            leaning += third[entry] * moves**3
        engines, pairs = _widest(variance), _widest(of_pair)
        widest = model[:, engines].T / len(model)
        for k in np.array_split(pairs, 1 + len(pairs) // 500):
            one, other = posterior.first[k], posterior.second[k]
            moves = widest @ (model[:, one] - model[:, other])
            is_counted = (engines[:, None] == one) | (engines[:, None] == other) | of_anchor[k]
            is_apart = self.groups[engines][:, None] != self.groups[one]
            moves[is_counted | is_apart] = 0.0
            leaning[engines] += moves**3 @ third[k]
        found: Array = leaning * scale
        return found


def _variances_of_odds(posterior: Posterior, sample: Array) -> Array:
    """Return the variances of the log-odds of each ordered pair."""
    first, second = posterior.first, posterior.second
    variances = [
        np.mean((sample[:, first[k]] - sample[:, second[k]] + sample[:, -1:]) ** 2, axis=0)
        for k in _parts(len(first))
    ]
    return np.concatenate(variances)


def _widest(variances: Array) -> Indices:
    """Return which variances are large, at most MAX_WIDE of them."""
    order = np.argsort(-variances)[:MAX_WIDE]
    found: Indices = order[variances[order] > LARGE_VARIANCE]
    return found


class _Robust:
    """The product of the covariance A^-1 B A^-1 and vectors, see `fit.py`."""

    def __init__(self, information: SparseInformation, variation: Variation, scale: Array) -> None:
        self._information, self._variation = information, variation
        self._scale = np.append(scale, 1.0)

    def __matmul__(self, vector: Array) -> Array:
        step = self._information.solve(self._scale * vector)
        product: Array = self._scale * self._information.solve(self._variation @ step)
        return product


def _parts(number: int) -> list[Indices]:
    """Return the numbers from 0 in parts, each small enough for a column of a sample."""
    return np.array_split(np.arange(number), 1 + number // 2000)


def sparse_peak(posterior: Posterior) -> Array:
    """Return the point where the posterior is greatest. Raises ArithmeticError, as `climb`."""

    def step_at(point: Array) -> Array:
        information = SparseInformation(posterior, point, posterior.groups)
        return information.solve(posterior.gradient(point))

    point = np.zeros(posterior.engines + 1)
    posterior.climb(point, step_at, PRECISION, MAX_STEPS)
    return point


def centred_on(sample: Array, groups: Indices, anchor: int | None) -> Array:
    """Return a sample of ratings relative to each group's mean, or in its group to the anchor."""
    if anchor is None:
        return sample
    same = groups == groups[anchor]
    moved = sample.copy()
    moved[..., same] -= sample[..., anchor, None]
    return moved
