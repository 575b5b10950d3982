"""The logistic Elo scale, and the normal distribution of what is uncertain on it.

An engine d Elo above another is expected to score 1 / (1 + 10^(-d/400)) points per game. That is
the scale of Elo, *The Rating of Chessplayers, Past and Present* (1978), with the logistic instead
of the normal distribution, as in other programs that rate engines.
"""

from __future__ import annotations

import math
from statistics import NormalDist

ELO_PER_NAT = 400 / math.log(10)
"""One unit of log-odds in Elo, about 173.7."""


def expected_score(difference: float) -> float:
    """Return the points per game, 0 to 1, of an engine `difference` Elo above its opponent."""
    odds = math.exp(-abs(difference) / ELO_PER_NAT)
    return 1 / (1 + odds) if difference >= 0 else odds / (1 + odds)


STANDARD = NormalDist()

QUANTILE_975 = STANDARD.inv_cdf(0.975)
"""95 % of a normal distribution lie within this many standard deviations of its mean."""


def chi_square_tail(statistic: float) -> float:
    """Return the p-value of a chi-square statistic with 1 degree of freedom.

    Such a statistic is the square of a standard normal value, of which `math.erfc` has both tails
    exactly.
    """
    return math.erfc(math.sqrt(statistic / 2))
