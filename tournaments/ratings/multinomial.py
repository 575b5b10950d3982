"""The likelihood of observed pair scores under a given mean score.

The maximum-likelihood distribution with mean s, where outcome a_k (points per game, 0 to 1) has the
share q_k of all pairs that were observed, is

    p_k = q_k / (1 + x (a_k - s)),    where x solves    sum_k q_k (a_k - s) / (1 + x (a_k - s)) = 0:

Michel Van den Bergh, http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf, proposition
1.1, as in fishtest, the test bench of Stockfish. The proposition is about outcomes that were
observed, and fishtest counts each of the others as 1/1000 of a pair. Here they are not counted: if
no distribution over what was observed has the mean s, or a better one exists, the outcome 0 or 1
takes the share that s demands. That is the limit of fishtest's way with ever smaller counts, and
means that x does not go beyond the values where the outcomes 0 and 1 would get negative shares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

MAX_STEPS = 200
PRECISION = 1e-12

Observed = Sequence[tuple[float, float]]
"""Counts or shares of outcomes, each with how much the outcome is above the given mean."""


def log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Return the greatest log-likelihood of `counts` if the mean score is `mean`.

    `counts` are of outcomes equally spaced from 0 to 1 points per game, and `mean` lies strictly
    between those. The log-likelihood is relative to that of the observed shares, so at most 0.
    """
    last = len(counts) - 1
    observed = [(count, index / last - mean) for index, count in enumerate(counts) if count]
    x = _multiplier(observed, mean, has_lowest=counts[0] > 0, has_highest=counts[-1] > 0)
    return -sum(count * math.log1p(x * excess) for count, excess in observed)


def _multiplier(observed: Observed, mean: float, *, has_lowest: bool, has_highest: bool) -> float:
    """Return the x of the formula, or the end of its range that comes nearest."""
    low, high = -1 / (1 - mean), 1 / mean
    if not has_highest and _sum(observed, low)[0] <= 0:
        return low
    if not has_lowest and _sum(observed, high)[0] >= 0:
        return high
    return root(observed, low, high)


def root(observed: Observed, low: float, high: float) -> float:
    """Return the x between `low` and `high` where sum_k q_k v_k / (1 + x v_k) is 0.

    `observed` has pairs of q_k and v_k. The sum falls with x, which allows Newton's method, with
    bisection where that leaves the bracket.
    """
    x = 0.0
    for _ in range(MAX_STEPS):
        value, fall = _sum(observed, x)
        if value > 0:
            low = x
        else:
            high = x
        if abs(value) < PRECISION * fall:
            break
        middle = x + value / fall
        x = middle if low < middle < high else (low + high) / 2
    return x


def _sum(observed: Observed, x: float) -> tuple[float, float]:
    """Return the sum of the formula, with counts for shares, and how fast it falls."""
    value = fall = 0.0
    for count, excess in observed:
        share = excess / (1 + x * excess)
        value += count * share
        fall += count * share * share
    return value, fall
