"""Tails of the normal and chi-square distributions, through the error function of `math`.

Abramowitz and Stegun, *Handbook of Mathematical Functions* (1964), 26.2.29 and 26.4.19.
"""

from __future__ import annotations

import math

QUANTILE_975 = 1.959963984540054
"""95 % of a normal distribution lie within so many standard deviations of its mean."""


def probability_below(deviations: float) -> float:
    """How much of a normal distribution lies below so many standard deviations."""
    return math.erfc(-deviations / math.sqrt(2)) / 2


def chi_square_tail(statistic: float) -> float:
    """The p-value of a chi-square statistic with 1 degree of freedom."""
    return math.erfc(math.sqrt(statistic / 2))
