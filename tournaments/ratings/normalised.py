"""Normalised Elo: how far a mean score is from 1/2, in standard deviations of a game's score.

    normalised Elo = (800 / ln 10) (s - 1/2) / sigma

where s is the mean score per game and sigma its standard deviation per game, which for pairs is
sqrt(2) times that of a pair's score per game: Michel Van den Bergh, "Normalized Elo",
https://cantate.be/Fishtest/normalized_elo_practical.pdf, as in fastchess and fishtest. Where pairs
have the variance of independent decided games, it is logistic Elo for small differences. How many
pairs a test takes depends on its hypotheses in normalised Elo alone, not on draws and not on what
playing first is worth.

The likeliest distribution with a given t = (s - 1/2) / sigma is found as there: with m and d the
mean and the deviation of an estimate, the values

    v_k = a_k - 1/2 - t d (1 + ((m - a_k) / d)^2) / 2

have the mean 0 under the next estimate, which is p_k = q_k / (1 + x v_k) for the x that makes it
so, q being the observed shares. Each outcome that was not observed counts as a thousandth of a
pair, so that every t can be had.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.multinomial import root

if TYPE_CHECKING:
    from collections.abc import Sequence

ELO_PER_DEVIATION = 2 * ELO_PER_NAT
"""One standard deviation of a game's score, about 347.4 Elo."""

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
    """Return the likeliest shares whose mean is that many deviations above 1/2.

    `weights` say how often each of SCORES was observed, and are above 0.
    """
    total = sum(weights)
    observed = [weight / total for weight in weights]
    shares = [1 / len(SCORES)] * len(SCORES)
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
