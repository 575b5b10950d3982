"""The standard normal distribution, from the standard library, and the 95 % that all bars have."""

from __future__ import annotations

import math
from statistics import NormalDist

STANDARD = NormalDist()

QUANTILE_975 = STANDARD.inv_cdf(0.975)
"""95 % of a normal distribution lie within this many standard deviations of its mean."""


def chi_square_tail(statistic: float) -> float:
    """Return the p-value of a chi-square statistic with 1 degree of freedom.

    Such a statistic is the square of a standard normal value, of which `math.erfc` has both tails
    exactly.
    """
    return math.erfc(math.sqrt(statistic / 2))
