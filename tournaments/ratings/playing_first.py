"""The test of whether playing first matters at all.

Twice the difference of the maximal log-posteriors with and without an advantage is, if there is
none, distributed as chi-square with 1 degree of freedom: Wilks, "The large-sample distribution of
the likelihood ratio for testing composite hypotheses", Annals of Mathematical Statistics 9 (1938).
It is divided by the ratio of the variance of the advantage to that of independent games.

That holds with many games of each engine. With few, ratings take up a part of what chance does, and
the statistic is too great. An exact test would compare the games that first players won with all
ways to share them out that leave each engine's points as they are. The signed root r of the
statistic comes close to that test as r + log(u / r) / r. Here u is the advantage times the root of
the ratio of two determinants: of the information of ratings and advantage at the peak, and of the
ratings alone at the peak without advantage. Skovgaard, "Saddlepoint expansions for conditional
distributions", Journal of Applied Probability 24 (1987); Davison, "Approximate conditional
inference in generalized linear models", Journal of the Royal Statistical Society B 50 (1988);
Pierce and Peters, "Practical use of higher order asymptotics for multiparameter exponential
families", the same, 54 (1992). Where games vary differently from independent ones, the
log-likelihood counts as if divided by the ratio of the variances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.tournaments.ratings import bradley_terry
from oddly.tournaments.ratings.bradley_terry import PRIOR
from oddly.tournaments.ratings.fit import chi_square_tail, fit_and_covariances
from oddly.tournaments.ratings.large import LargeFit, sparse_peak
from oddly.tournaments.ratings.posterior import Posterior, check_prior

if TYPE_CHECKING:
    from oddly.tournaments.ratings.ordered_pairs import Results

LEAST_STATISTIC = 1e-4
"""A smaller statistic is left as it is: rounding would outweigh what few games change."""


def advantage_test(results: Results, prior: float = PRIOR) -> AdvantageTest:
    """Return the test of whether playing first matters.

    `prior` is that of `rate`, and ValueError is raised for the same ones.
    """
    check_prior(prior)
    none = Posterior(results, prior, advantage=False)
    if len(results.names) > bradley_terry.MAX_JOINT:
        found = LargeFit(results, prior)
        free, peak, without = found.posterior, found.peak, sparse_peak(none)
        robust_variance, variance = found.advantage_variances()
        information = found.information_gain(none, without)
    else:
        free = Posterior(results, prior)
        peak, without = free.peak(), none.peak()
        _, covariance, robust = fit_and_covariances(results, free, peak)
        robust_variance, variance = float(robust[-1, -1]), float(covariance[-1, -1])
        information = free.log_determinant(peak) - none.log_determinant(without)
    # Rounding may put the smaller model slightly ahead.
    statistic = max(0.0, 2 * (free.logarithm(peak) - none.logarithm(without)))
    ratio = robust_variance / variance
    factor = _factor(statistic, abs(float(peak[-1])), information, ratio)
    return AdvantageTest(statistic / ratio, factor)


def _factor(statistic: float, advantage: float, information: float, ratio: float) -> float:
    """Return the factor that few games call for.

    `statistic` is that of independent games, and `information` by how much the logarithm of the
    determinant is greater with an advantage.
    """
    if statistic < LEAST_STATISTIC or not advantage:
        return 1.0
    further = math.log(advantage) + information / 2 - math.log(statistic) / 2
    # Where hardly anything is known, the root would change its sign.
    return max(0.0, 1 + ratio * further / statistic) ** 2


@dataclass(frozen=True, slots=True)
class AdvantageTest:
    """The test of whether playing first matters."""

    statistic: float
    """That of the likelihood-ratio test."""
    factor: float = 1.0
    """What the statistic is multiplied by, so that p-values are right with few games."""

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least this great if playing first does not matter."""
        return chi_square_tail(self.statistic * self.factor)
