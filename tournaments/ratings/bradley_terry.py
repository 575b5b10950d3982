"""Ratings with error bars: Bradley-Terry, maximum a posteriori, with a first-player advantage.

The model: first player i beats second player j with probability

    p = 1 / (1 + 10^(-(r_i - r_j + a) / 400)),

r being ratings and a the advantage of playing first, all in Elo. Bradley and Terry, "Rank analysis
of incomplete block designs", Biometrika 39 (1952), have it without a; Davidson and Beaver, "On
extending the Bradley-Terry model to incorporate within-pair order effects", Biometrics 33 (1977),
with.

A draw counts as half a win and half a loss. Of our games only Ayu has draws, and those by
repetition only: too few to estimate a further parameter from, as Davidson's model would (Journal of
the American Statistical Association 65, 1970). Half a win and half a loss have the variance of a
decided game, which is more than a draw has, so that error bars err on the wide side.

Ratings have a Gaussian prior. So an engine that won all its games, or none, or never played, has a
finite rating, and parts of a league that never met can be compared. The prior of the advantage is
ten times as wide as the narrowest prior of ratings: it matters only if the first players won every
game, or none.

The posterior is treated as normal around its peak, with the inverse of its second derivatives as
covariance (Laplace's approximation; Gelman et al., *Bayesian Data Analysis*, third edition, 2013,
section 4.1). Where the posterior is skewed, error bars are longer, see `posterior.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import (
    ELO_PER_NAT,
    LOST_ALL,
    NO_GAMES,
    QUANTILE_975,
    STANDARD,
    TOO_FEW,
    WON_ALL,
    chi_square_tail,
    expected_score,
)
from oddly.tournaments.ratings.posterior import Likelihood, Posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oddly.tournaments.ratings.ordered_pairs import Results

    Array = NDArray[np.floating[Any]]


LEAST_PRIOR = 400.0
"""The standard deviation of ratings, in Elo, that is assumed at the least."""

WIDE_PRIORS = (1000.0, 2000.0)
"""Those by which their spread is estimated: the second where the first turns out too narrow."""

SPREADS = 1.5
"""The prior in spreads of the ratings, so that it hardly draws engines together far apart."""

MAX_ENGINES = 2000
"""The covariance of this many engines takes 32 MB, and rating them needs about ten times that."""


def rate(
    results: Results,
    prior: float | None = None,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
) -> Ratings:
    """Return the most probable ratings, in Elo, with their joint covariance.

    `prior` is the standard deviation of ratings in Elo, by default `usual_prior`. The engine
    `anchor` gets `anchor_elo`; without one, the mean rating is 0.

    Raises ValueError for an unknown anchor, a prior not above 0, or more than MAX_ENGINES engines:
    memory grows with the square of their number and time with its cube. Neither depends on the
    number of games, only on the number of pairs that met.

    >>> import oddly
    >>> games = 3 * [oddly.RatedGame("A", "B", "first"), oddly.RatedGame("B", "A", "second")]
    >>> games += 2 * [oddly.RatedGame("B", "A", "first")]
    >>> ratings = oddly.rate(oddly.collect(games))
    >>> print(ratings.names, ratings.elo.round())
    ('A', 'B') [ 165. -165.]
    """
    if len(results.names) > MAX_ENGINES:
        raise ValueError(f"at most {MAX_ENGINES} engines are rated, not {len(results.names)}")
    prior = usual_prior(results) if prior is None else prior
    if not prior > 0:
        raise ValueError(f"the prior must be above 0 Elo, not {prior}")
    if anchor is not None and anchor not in results.names:
        raise ValueError(f"there is no engine {anchor!r}")
    posterior = Posterior(results, prior)
    peak = posterior.peak()
    engines = len(results.names)
    covariance = np.linalg.inv(posterior.information(peak)) * ELO_PER_NAT**2
    reference = None if anchor is None else results.names.index(anchor)
    shift = _shift(engines, reference)
    elo = shift @ (ELO_PER_NAT * peak[:engines]) + (0.0 if anchor is None else anchor_elo)
    projected = shift @ covariance[:engines, :engines] @ shift.T
    return Ratings(
        names=results.names,
        elo=elo,
        covariance=(projected + projected.T) / 2,
        games=results.games_of_engines(),
        points=results.points_of_engines(),
        played=results.played,
        advantage=float(ELO_PER_NAT * peak[engines]),
        advantage_variance=float(covariance[engines, engines]),
        likelihood=Likelihood(posterior, peak, covariance / ELO_PER_NAT**2, shift),
    )


def usual_prior(results: Results) -> float:
    """Return the standard deviation of ratings, in Elo, that the results suggest.

    It is SPREADS times the root mean square of the ratings under a wide prior, but at least
    LEAST_PRIOR: an empirical Bayes estimate (Efron and Morris, "Stein's estimation rule and its
    competitors", Journal of the American Statistical Association 68, 1973). A single width for all
    leagues would either pull together engines that are 600 Elo apart, or let a few games between
    equals prove anything.
    """
    have_played = results.games_of_engines() > 0
    if not have_played.any():
        return LEAST_PRIOR
    prior = LEAST_PRIOR
    for wide in WIDE_PRIORS:
        elo = ELO_PER_NAT * Posterior(results, wide).peak()[:-1][have_played]
        prior = max(LEAST_PRIOR, SPREADS * float(np.sqrt(np.mean((elo - elo.mean()) ** 2))))
        if prior <= wide:
            break
    return prior


def advantage_test(results: Results, prior: float | None = None) -> AdvantageTest:
    """Return the test of whether playing first matters.

    Twice the difference of the maximal log-posteriors with and without an advantage is, if there is
    none, distributed as chi-square with 1 degree of freedom: Wilks, "The large-sample distribution
    of the likelihood ratio for testing composite hypotheses", Annals of Mathematical Statistics 9
    (1938). `prior` is that of `rate`, in Elo.
    """
    prior = usual_prior(results) if prior is None else prior
    free, none = Posterior(results, prior), Posterior(results, prior, advantage=False)
    gain = free.logarithm(free.peak()) - none.logarithm(none.peak())
    # Rounding may put the smaller model slightly ahead.
    return AdvantageTest(statistic=max(0.0, 2 * gain))


def _shift(engines: int, anchor: int | None) -> Array:
    """Return the projection that subtracts the anchor's rating, or the mean, from all ratings."""
    taken = np.full(engines, 1 / max(engines, 1)) if anchor is None else np.eye(engines)[anchor]
    shift: Array = np.eye(engines) - taken
    return shift


MAX_ERROR = 600.0
"""The longest error bar, in Elo, of a rating that is shown."""

MIN_GAMES = 8
"""The fewest games of an engine whose rating is shown."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of the engines `names`, in Elo, and the advantage of playing first.

    `covariance` is that of `elo`, in square Elo, relative to the mean rating or the anchor.
    """

    names: tuple[str, ...]
    elo: Array
    covariance: Array
    games: NDArray[np.int64]
    """The games that ratings go by: copies of earlier ones are left out."""
    points: Array
    """The points from these."""
    played: NDArray[np.int64]
    """All games."""
    advantage: float
    advantage_variance: float
    likelihood: Likelihood | None = None
    """The posterior around its peak; None if there is only the normal distribution."""

    @cached_property
    def stretches(self) -> Array:
        """By how much each error bar is longer than that of the normal distribution."""
        return np.ones(len(self.names)) if self.likelihood is None else self.likelihood.stretches()

    @cached_property
    def errors_95(self) -> Array:
        """Half the widths, in Elo, of the 95 % intervals of the ratings."""
        deviations: Array = np.sqrt(np.maximum(0.0, np.diag(self.covariance)))
        return QUANTILE_975 * deviations * self.stretches

    @cached_property
    def advantage_error_95(self) -> float:
        """Half the width, in Elo, of the 95 % interval of the advantage."""
        stretch = 1.0 if self.likelihood is None else self.likelihood.advantage_stretch()
        return QUANTILE_975 * math.sqrt(self.advantage_variance) * stretch

    def unknown(self, engine: int) -> str | None:
        """Return why the rating of engine number `engine` is not to be shown; None if it is.

        A rating with an error bar above MAX_ERROR, or from fewer than MIN_GAMES games, is not worth
        a number.
        """
        games, points = int(self.games[engine]), float(self.points[engine])
        # An anchor's rating is given.
        if self.covariance[engine, engine] <= 0 and len(self.names) > 1:
            return None
        if games < MIN_GAMES:
            return TOO_FEW if games else NO_GAMES
        if self.errors_95[engine] <= MAX_ERROR:
            return None
        return WON_ALL if points == games else TOO_FEW if points else LOST_ALL

    @property
    def unknown_advantage(self) -> str | None:
        """Why the advantage of playing first is not to be shown; None if it is."""
        is_known = self.games.sum() >= 2 * MIN_GAMES and self.advantage_error_95 <= MAX_ERROR
        return None if is_known else TOO_FEW

    def order(self) -> list[int]:
        """Return the engines' numbers from the highest rating to the lowest, equal ones by name."""
        # A millionth of an Elo is only rounding.
        return sorted(
            range(len(self.names)), key=lambda i: (-round(float(self.elo[i]), 6), self.names[i])
        )

    def score(self, engine: int) -> float | None:
        """Return the points per game of engine number `engine`, None without a game."""
        games = int(self.games[engine])
        return float(self.points[engine]) / games if games else None

    def expected_score(self, first: int, second: int) -> float:
        """Return the points per game, 0 to 1, expected of engine number `first` as first player."""
        return expected_score(float(self.elo[first] - self.elo[second]) + self.advantage)

    def likelihood_of_superiority(self, one: int, other: int) -> float:
        """Return the probability (LOS) that engine number `one` is stronger than `other`.

        What the two have in common, such as their opponents, cancels out.
        """
        if self.likelihood is not None and one != other:
            return STANDARD.cdf(self.likelihood.root(one, other))
        covariance = self.covariance
        variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
        if one == other or variance <= 0:
            return 0.5
        return STANDARD.cdf(float(self.elo[one] - self.elo[other]) / math.sqrt(variance))


@dataclass(frozen=True, slots=True)
class AdvantageTest:
    """The likelihood-ratio test of whether playing first matters."""

    statistic: float

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least this great if playing first does not matter."""
        return chi_square_tail(self.statistic)
