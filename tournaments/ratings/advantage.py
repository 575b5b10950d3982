"""The test of whether playing first matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.tournaments.ratings.bradley_terry import MAX_JOINT, PRIOR, check_prior
from oddly.tournaments.ratings.fit import chi_square_tail, fit_and_covariances
from oddly.tournaments.ratings.large import LargeFit, sparse_peak
from oddly.tournaments.ratings.posterior import Posterior

if TYPE_CHECKING:
    from oddly.tournaments.ratings.ordered_pairs import Results


def advantage_test(results: Results, prior: float = PRIOR) -> AdvantageTest:
    """Return the test of whether playing first matters.

    Twice the difference of the maximal log-posteriors with and without an advantage is, if there is
    none, distributed as chi-square with 1 degree of freedom: Wilks, "The large-sample distribution
    of the likelihood ratio for testing composite hypotheses", Annals of Mathematical Statistics 9
    (1938). It is divided by the ratio of the variance of the advantage to that of
    independent games. `prior` is that of `rate`, and ValueError is raised for the same ones.
    """
    check_prior(prior)
    none = Posterior(results, prior, advantage=False)
    if len(results.names) > MAX_JOINT:
        found = LargeFit(results, prior)
        robust_variance, variance = found.advantage_variances()
        gain = found.posterior.logarithm(found.peak) - none.logarithm(sparse_peak(none))
        return AdvantageTest(statistic=max(0.0, 2 * gain * variance / robust_variance))
    free = Posterior(results, prior)
    peak = free.peak()
    gain = free.logarithm(peak) - none.logarithm(none.peak())
    _, covariance, robust = fit_and_covariances(results, free, peak)
    ratio = float(robust[-1, -1] / covariance[-1, -1])
    # Rounding may put the smaller model slightly ahead.
    return AdvantageTest(statistic=max(0.0, 2 * gain / ratio))


@dataclass(frozen=True, slots=True)
class AdvantageTest:
    """The likelihood-ratio test of whether playing first matters."""

    statistic: float

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least this great if playing first does not matter."""
        return chi_square_tail(self.statistic)
