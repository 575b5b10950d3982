"""Error bars from the likelihood: how far a rating may be off before the games contradict it.

A normal distribution fitted to the peak of the posterior (Laplace's approximation) is symmetric.
The posterior of an engine that won nearly all its games is not: it leans away from the others, and
such bars are too short on that side. Here a bar reaches as far as the logarithm of the posterior
stays within 1.92 of its peak, half the 95 % quantile of chi-square with 1 degree of freedom (Wilks,
"The large-sample distribution of the likelihood ratio for testing composite hypotheses", Annals of
Mathematical Statistics 9, 1938). The path is the line on which the rating moves at the least cost
near the peak; the other ratings and the advantage move along. The longer side counts, and at least
the normal distribution's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.normal import QUANTILE_975

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oddly.tournaments.ratings.posterior import Posterior

    Array = NDArray[np.floating[Any]]

FALL = QUANTILE_975**2 / 2
"""By how much the log-posterior falls at the end of a bar."""

FARTHEST = 50.0
"""Where the search ends, in standard deviations."""

HALVINGS = 10
"""The halvings of the bracket around the end of a bar: it is then known to 0.1 %."""

MAX_SEARCHED = 40
"""The most engines whose bars are searched; of more, those whose posterior leans most."""

NOTABLE_STRETCH = 1.01
"""Bars that are hardly longer than the normal one are not searched: the estimate will do."""


class Likelihood:
    """The log-posterior around its peak. `covariance` is in units of log-odds."""

    def __init__(self, posterior: Posterior, peak: Array, covariance: Array, shift: Array) -> None:
        self._posterior = posterior
        self._peak = peak
        self._covariance = covariance
        self._contrasts = np.zeros((len(shift), len(peak)))
        self._contrasts[:, : len(shift)] = shift
        self._top = posterior.logarithm(peak)
        self._third_derivative = posterior.third_derivatives(peak)

    def stretches(self) -> Array:
        """Return by how much the bar of each rating is longer than the normal one, 1 or more."""
        found = np.ones(len(self._contrasts))
        leaning = np.array([self._leaning(contrast) for contrast in self._contrasts])
        # To the second order, the end of a bar moves by this share of its length.
        found += np.abs(leaning) * QUANTILE_975 / 6
        for index in np.argsort(-np.abs(leaning))[:MAX_SEARCHED]:
            if found[index] > NOTABLE_STRETCH:
                found[index] = self.stretch(self._contrasts[index])
        return found

    def advantage_stretch(self) -> float:
        """Return the same for the advantage of playing first."""
        contrast = np.zeros(len(self._peak))
        contrast[-1] = 1.0
        return self.stretch(contrast)

    def stretch(self, contrast: Array) -> float:
        """Return by how much the bar of a sum of ratings is longer than the normal one."""
        line = self._line(contrast)
        if line is None:
            return 1.0
        ends = [self._end(side * line) for side in (1, -1)]
        return max(QUANTILE_975, *ends) / QUANTILE_975

    def root(self, one: int, other: int) -> float:
        """Return how many standard deviations `one` is ahead of `other`.

        It is the signed root of the likelihood ratio of the ratings against equal ones, which for a
        normal distribution is the difference over its standard deviation.
        """
        contrast = np.zeros(len(self._peak))
        contrast[one], contrast[other] = 1.0, -1.0
        ahead = float(contrast @ self._peak)
        line = self._line(contrast)
        if line is None or not ahead:
            return 0.0
        fall = self._fall(-ahead / float(contrast @ line) * line)
        return math.copysign(math.sqrt(2 * max(0.0, fall)), ahead)

    def _line(self, contrast: Array) -> Array | None:
        """Return the cheapest step that moves a contrast by one standard deviation."""
        step = self._covariance @ contrast
        variance = float(contrast @ step)
        return None if variance <= 0 else step / math.sqrt(variance)

    def _fall(self, step: Array) -> float:
        """Return by how much the log-posterior is lower at that distance from the peak."""
        return self._top - self._posterior.logarithm(self._peak + step)

    def _end(self, line: Array) -> float:
        """Return how many standard deviations along a line it takes to fall by FALL."""
        low, high = 0.0, QUANTILE_975
        while self._fall(high * line) < FALL:
            low, high = high, 1.5 * high
            if high > FARTHEST:
                return high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self._fall(middle * line) < FALL:
                low = middle
            else:
                high = middle
        return low

    def _leaning(self, contrast: Array) -> float:
        """Return the third derivative of the log-posterior along the line of a contrast."""
        line = self._line(contrast)
        return 0.0 if line is None else self._third_derivative(line)
