"""How likely pairs of games are, given their mean score, in points or in standard deviations.

The maximum-likelihood distribution with mean s, where outcome a_k (points per game, 0 to 1) has the
share q_k of all pairs that were observed, is

    p_k = q_k / (1 + x (a_k - s)),    where x solves    sum_k q_k (a_k - s) / (1 + x (a_k - s)) = 0:

Michel Van den Bergh, http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf, proposition
1.1, as in fishtest, the test bench of Stockfish. The proposition is about outcomes that were
observed, and fishtest counts each of the others as 1/1000 of a pair. Here they are not counted: if
no distribution over what was observed has the mean s, or a better one exists, the outcome 0 or 1
takes the share that s demands. This is the limit of fishtest's method with ever smaller counts: x
stays within the values at which the outcomes 0 and 1 would get negative shares.

The likeliest distribution with a given t = (s - 1/2) / sigma is found as in "Normalized Elo", see
`elo.py`: with m and d the mean and the deviation of an estimate, the values

    v_k = a_k - 1/2 - t d (1 + ((m - a_k) / d)^2) / 2

have the mean 0 under the next estimate, which is p_k = q_k / (1 + x v_k) for the x that makes it
so, q being the observed shares. Each outcome that was not observed counts as a thousandth of a
pair, so that every t is possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from oddly.tournaments.ratings.elo import ELO_PER_DEVIATION

UNOBSERVED = 1e-3
MAX_STEPS = 50
PRECISION = 1e-10

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The scores per game of the five outcomes of a pair."""


def normalised_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of pairs for two differences in normalised Elo.

    `counts` say how often each of SCORES was observed.
    """
    weights = [count or UNOBSERVED for count in counts]
    low, high = (likeliest(weights, math.sqrt(2) * elo / ELO_PER_DEVIATION) for elo in (elo0, elo1))
    return sum(
        weight * math.log(above / below)
        for weight, above, below in zip(weights, high, low, strict=True)
    )


def likeliest(weights: Sequence[float], deviations: float) -> list[float]:
    """Return the likeliest shares whose mean is this many deviations above 1/2.

    Beyond one deviation, about 350 normalised Elo, there may be several peaks; this is one of them.
    `weights` say how often each of SCORES was observed, and are above 0.
    """
    if deviations < 0:
        return likeliest(weights[::-1], -deviations)[::-1]
    total = sum(weights)
    observed = [weight / total for weight in weights]
    shares = [0.0] * len(SCORES)
    # Shares of 0 and 1 alone, with that mean. As the values begin with the mean 0 under some
    # shares, some of them are above 0 and some below in each step.
    shares[-1] = (1 + deviations / math.sqrt(1 + deviations**2)) / 2
    shares[0] = 1 - shares[-1]
    for _ in range(MAX_STEPS):
        mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
        spread = math.sqrt(
            sum(share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True))
        )
        values = [
            score - 0.5 - deviations * spread * (1 + ((mean - score) / spread) ** 2) / 2
            for score in SCORES
        ]
        before, shares = shares, _balanced(observed, values)
        if max(abs(a - b) for a, b in zip(before, shares, strict=True)) < PRECISION:
            break
    return shares


def _balanced(observed: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return q_k / (1 + x v_k) for the x under which the values have the mean 0."""
    x = root(list(zip(observed, values, strict=True)), -1 / max(values), -1 / min(values))
    return [q / (1 + x * v) for q, v in zip(observed, values, strict=True)]


MAX_ROOT_STEPS = 200
ROOT_PRECISION = 1e-12

Observed = Sequence[tuple[float, float]]
"""Counts or shares of outcomes, each with the excess of the outcome over the given mean."""


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
    """Return the x of the formula, or the nearest end of its range."""
    low, high = -1 / (1 - mean), 1 / mean
    if not has_highest and _sum(observed, low)[0] <= 0:
        return low
    if not has_lowest and _sum(observed, high)[0] >= 0:
        return high
    return root(observed, low, high)


def root(observed: Observed, low: float, high: float) -> float:
    """Return the x between `low` and `high` where sum_k q_k v_k / (1 + x v_k) is 0.

    `observed` has pairs of q_k and v_k. The sum falls with x, which allows Newton's method, with
    bisection where that leaves the bracket. At the ends of the bracket one part of the sum is
    infinite: steps are short there too, but nothing balances it.
    """
    x = 0.0
    for _ in range(MAX_ROOT_STEPS):
        value, fall, size = _sum(observed, x)
        if value > 0:
            low = x
        else:
            high = x
        if abs(value) < min(ROOT_PRECISION * fall, size / 2):
            break
        middle = x + value / fall
        x = middle if low < middle < high else (low + high) / 2
    return x


def _sum(observed: Observed, x: float) -> tuple[float, float, float]:
    """Return the sum of the formula, how fast it falls, and the sum of its parts' sizes."""
    value = fall = size = 0.0
    for count, excess in observed:
        share = excess / (1 + x * excess)
        value += count * share
        fall += count * share * share
        size += count * abs(share)
    return value, fall, size
