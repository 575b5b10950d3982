"""The scales of ratings, logistic and normalised Elo, and why an engine has no rating.

An engine d Elo above another is expected to score 1 / (1 + 10^(-d/400)) points per game. That is
the scale of Elo, *The Rating of Chessplayers, Past and Present* (1978), with the logistic instead
of the normal distribution, as in other programs that rate engines.

normalised Elo = (800 / ln 10) (s - 1/2) / sigma

where s is the mean score per game and sigma its standard deviation per game, which for pairs is
sqrt(2) times that of a pair's score per game: Michel Van den Bergh, "Normalized Elo",
https://cantate.be/Fishtest/normalized_elo_practical.pdf, as in fastchess and fishtest. Where pairs
have the variance of independent decided games, it is logistic Elo for small differences. The number
of pairs that a test takes depends only on its hypotheses in normalised Elo, not on draws or the
advantage of playing first.
"""

from __future__ import annotations

import math
from statistics import NormalDist

MAX_ELO = 10_000
"""The greatest difference that a test or a setting may name."""

ELO_PER_NAT = 400 / math.log(10)
"""One unit of log-odds in Elo, about 173.7."""

ELO_PER_DEVIATION = 2 * ELO_PER_NAT
"""One standard deviation of a game's score, about 347.4 Elo."""


def expected_score(difference: float) -> float:
    """Return the points per game, 0 to 1, of an engine `difference` Elo above its opponent."""
    odds = math.exp(-abs(difference) / ELO_PER_NAT)
    return 1 / (1 + odds) if difference >= 0 else odds / (1 + odds)


def elo_of(score: float) -> float:
    """Return the difference, in Elo, at which `score` is expected, above 0 and below 1."""
    return 400 * math.log10(score / (1 - score))


STANDARD = NormalDist()

QUANTILE_975 = STANDARD.inv_cdf(0.975)
"""95 % of a normal distribution lies within this many standard deviations of its mean."""

NO_GAMES = "no games"
TOO_FEW = "too few games"
SAME_SEAT = "always the same seat"
FEW_OPENINGS = "too few openings"
WON_ALL = "won every game"
LOST_ALL = "lost every game"
"""Why an engine has no rating, in words."""
