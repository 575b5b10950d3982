"""Ratings with error bars: Bradley-Terry, maximum a posteriori, with a first-player advantage.

The model: first player i beats second player j with probability

    p = 1 / (1 + 10^(-(r_i - r_j + a) / 400)),

where r are ratings and a is the advantage of playing first, all in Elo. Bradley and Terry, "Rank
analysis of incomplete block designs", Biometrika 39 (1952), have it without a; Davidson and Beaver,
"On extending the Bradley-Terry model to incorporate within-pair order effects", Biometrics 33
(1977), have it with a.

A draw counts as half a win and half a loss. Of our games only Ayu has draws, and those by
repetition only: too few to estimate a further parameter from, as Davidson's model would (Journal of
the American Statistical Association 65, 1970). A draw varies less than a decided game; error bars
allow for this, see `fit.py`.

The prior is a few virtual draws between engines that met, see `posterior.py`. So an engine that won
all its games, or none, has a finite rating. The prior of the advantage is so wide that it matters
only if the first players won every game, or none.

The posterior is treated as normal around its peak, with the inverse of its second derivatives as
covariance (Laplace's approximation; Gelman et al., *Bayesian Data Analysis*, third edition, 2013,
section 4.1). Where the posterior is skewed, error bars are longer, see `posterior.py`. They are
longer too where the prior matters: how far a rating moves with a prior ten times as weak counts as
a further error, independent of the other. Of many opponents that lost every game, for example, the
prior alone says how weak they are, and each errs in the same direction.

`playing_first.py` tests whether playing first matters at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.advantage import bias_of_advantage, variances_of_odds
from oddly.tournaments.ratings.clusters import FEWEST
from oddly.tournaments.ratings.elo import (
    ELO_PER_NAT,
    FEW_OPENINGS,
    LOST_ALL,
    NO_GAMES,
    QUANTILE_975,
    SAME_SEAT,
    STANDARD,
    TOO_FEW,
    WON_ALL,
    expected_score,
)
from oddly.tournaments.ratings.fit import Fit, fit_and_covariances
from oddly.tournaments.ratings.large import LargeFit, centred_on
from oddly.tournaments.ratings.posterior import WEAKER, Likelihood, Posterior, check_prior

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.ordered_pairs import Array, Results


PRIOR = 0.1
"""The virtual draws of each engine, see `posterior.py`: too few to outweigh games."""
CAUTIOUS = 1.0
"""The virtual draws of each engine for the likelihood of superiority.

With few games, claims rest on the shape of the likelihood far from its peak. With one virtual draw,
two equal engines are claimed to differ with 99 % certainty in at most 3 % of cases, for 10 to 100
games: see docs/explanation/ratings.md.
"""
MAX_JOINT = 2000
"""With more engines, only a sample of the covariance is kept, see `large.py`. The covariance of
this many takes 32 MB, and its computation about ten times as much.
"""


def rate(
    results: Results, prior: float = PRIOR, anchor: str | None = None, anchor_elo: float = 0.0
) -> Ratings:
    """Return the most probable ratings, in Elo, with their joint covariance.

    `prior` is the number of virtual draws of each engine. The engine `anchor` gets `anchor_elo`;
    without one, the mean rating is 0. Engines that games do not connect cannot be compared: each
    connected group has the mean 0.

    For more than MAX_JOINT engines there is a sample instead of the joint covariance, and error
    bars are accurate to 3 %. Time and memory depend on the number of engines and of pairs that met,
    not on the number of games.

    Raises ValueError for an unknown anchor, an `anchor_elo` that is not finite or a prior that is
    not from SMALLEST_PRIOR to LARGEST_PRIOR, and MissingExtraError for more than MAX_JOINT engines
    without SciPy.

    >>> import oddly
    >>> games = 3 * [("A", "B", "first"), ("B", "A", "second")]
    >>> games += 2 * [("B", "A", "first")]
    >>> ratings = oddly.rate(oddly.collect(games))
    >>> print(ratings.names, ratings.elo.round())
    ('A', 'B') [ 206. -206.]
    """
    check_prior(prior)
    if not math.isfinite(anchor_elo):
        raise ValueError(f"the anchor's Elo must be a finite number, not {anchor_elo}")
    if anchor is not None and anchor not in results.names:
        raise ValueError(f"there is no engine {anchor!r}")
    reference = None if anchor is None else results.names.index(anchor)
    if len(results.names) > MAX_JOINT:
        return _rate_many(results, prior, reference, anchor_elo)
    posterior = Posterior(results, prior)
    peak = posterior.peak()
    engines = len(results.names)
    fit, covariance, robust = fit_and_covariances(results, posterior, peak)
    of_odds = variances_of_odds(posterior, covariance)
    shift = _shift(posterior.groups, reference)
    elo = shift @ (ELO_PER_NAT * peak[:engines])
    moves = shift @ (ELO_PER_NAT * WEAKER * (covariance @ posterior.pull(peak))[:engines])
    if reference is not None:
        elo[posterior.groups == posterior.groups[reference]] += anchor_elo
    contrasts = np.pad(shift, ((0, 0), (0, 1)))
    projected = ELO_PER_NAT**2 * shift @ robust[:engines, :engines] @ shift.T
    return Ratings(
        names=results.names,
        elo=elo,
        covariance=(projected + projected.T) / 2,
        games=results.games_of_engines(),
        points=results.points_of_engines(),
        distinct=results.distinct,
        clusters=results.clusters_of_engines(),
        groups=posterior.groups,
        never_swapped=results.never_swapped,
        fit=fit,
        advantage=float(ELO_PER_NAT * peak[engines]),
        advantage_variance=float(ELO_PER_NAT**2 * robust[engines, engines]),
        anchor=reference,
        likelihood=Likelihood(posterior, peak, covariance, robust, contrasts.__getitem__),
        moves=moves,
        advantage_bias=ELO_PER_NAT * bias_of_advantage(posterior, peak, covariance, of_odds),
        cautious=partial(_likelihood, results, max(prior, CAUTIOUS), contrasts),
    )


def _likelihood(results: Results, prior: float, contrasts: Array) -> Likelihood:
    """Return the posterior with that prior around its peak."""
    posterior = Posterior(results, prior)
    peak = posterior.peak()
    _, covariance, robust = fit_and_covariances(results, posterior, peak)
    return Likelihood(posterior, peak, covariance, robust, contrasts.__getitem__)


def _rate_many(results: Results, prior: float, anchor: int | None, anchor_elo: float) -> Ratings:
    """Return the ratings of more engines than MAX_JOINT."""
    found = LargeFit(results, prior)
    elo = ELO_PER_NAT * centred_on(found.peak[:-1], found.groups, anchor)
    if anchor is not None:
        elo[found.groups == found.groups[anchor]] += anchor_elo
    moves = ELO_PER_NAT * WEAKER * centred_on(found.moves()[:-1], found.groups, anchor)
    sample = centred_on(found.sample()[:, :-1], found.groups, anchor)
    return Ratings(
        names=results.names,
        elo=elo,
        covariance=None,
        games=results.games_of_engines(),
        points=results.points_of_engines(),
        distinct=results.distinct,
        clusters=results.clusters_of_engines(),
        groups=found.groups,
        never_swapped=results.never_swapped,
        fit=found.fit,
        advantage=float(ELO_PER_NAT * found.peak[-1]),
        advantage_variance=float(ELO_PER_NAT**2 * found.advantage_variances()[0]),
        anchor=anchor,
        sample=ELO_PER_NAT * sample,
        likelihood=found.likelihood(anchor, sample),
        moves=moves,
        advantage_bias=ELO_PER_NAT * found.advantage_bias(),
    )


def _shift(groups: NDArray[np.int64], anchor: int | None) -> Array:
    """Return the projection that subtracts each group's mean, or in its group the anchor's rating.

    `groups` has the group of each engine.
    """
    same = groups[:, None] == groups
    taken = same / np.maximum(1, same.sum(axis=1))
    if anchor is not None:
        taken[groups == groups[anchor]] = np.eye(len(groups))[anchor]
    shift: Array = np.eye(len(groups)) - taken
    return shift


MAX_ERROR = 600.0
"""The longest error bar, in Elo, with which a rating is shown."""
MIN_GAMES = 8
"""The fewest games with which an engine's rating is shown."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of the engines `names`, in Elo, and the advantage of playing first.

    `covariance` is that of `elo`, in square Elo, relative to the mean rating or the anchor.
    """

    names: tuple[str, ...]
    elo: Array
    covariance: Array | None
    """None for more than MAX_JOINT engines, which have a `sample` instead."""
    games: NDArray[np.int64]
    points: Array
    distinct: NDArray[np.int64]
    """The games that are not copies of earlier ones."""
    clusters: Array
    """How many openings the games are worth, see `clusters.py`."""
    groups: NDArray[np.int64]
    """A number for each engine, equal for those that games connect; 0 is the largest group."""
    never_swapped: bool
    """Whether every engine always had the same seat."""
    fit: Fit
    moves: Array
    """How far each rating moves if the prior is ten times as strong, by its slope, in Elo."""
    advantage: float
    advantage_variance: float
    anchor: int | None = None
    likelihood: Likelihood | None = None
    """The posterior around its peak; None if there is only the normal distribution."""
    sample: Array | None = None
    """Points around `elo`, relative to it, which vary as the true ratings may, in Elo."""
    cautious: Callable[[], Likelihood] | None = None
    """Computes the posterior with CAUTIOUS virtual draws."""
    advantage_bias: float = 0.0
    """How far beyond the truth the advantage is expected to be, in Elo, see `advantage.py`."""

    @cached_property
    def stretches(self) -> Array:
        """The factor by which each error bar is longer than that of the normal distribution."""
        return np.ones(len(self.names)) if self.likelihood is None else self.likelihood.stretches()

    @cached_property
    def variances(self) -> Array:
        """The variances of the ratings, in square Elo."""
        if self.covariance is not None:
            return np.maximum(0.0, np.diag(self.covariance))
        found: Array = np.mean(np.asarray(self.sample) ** 2, axis=0)
        return found

    @property
    def ideal_covariance(self) -> Array | None:
        """What `covariance` would be if games were independent and decided, and ratings fitted."""
        if self.likelihood is None or self.covariance is None:
            return self.covariance
        engines = len(self.names)
        identity = np.eye(engines + 1, engines)
        found: Array = ELO_PER_NAT**2 * (self.likelihood.covariance @ identity)[:engines]
        return found

    @cached_property
    def errors_95(self) -> Array:
        """Half the widths, in Elo, of the 95 % intervals of the ratings."""
        of_games = QUANTILE_975 * np.sqrt(self.variances) * self.stretches
        errors: Array = np.hypot(of_games, self.moves)
        return errors

    @cached_property
    def advantage_error_95(self) -> float:
        """Half the width, in Elo, of the 95 % interval of the advantage."""
        stretch = 1.0 if self.likelihood is None else self.likelihood.advantage_stretch()
        of_games = QUANTILE_975 * math.sqrt(self.advantage_variance) * stretch
        return math.hypot(of_games, self.advantage_bias)

    def unknown(self, engine: int) -> str | None:
        """Return why the rating of engine number `engine` should not be shown; None if it should.

        A rating with an error bar above MAX_ERROR, from fewer than MIN_GAMES distinct games, from
        too few openings, or of an engine that won or lost every game, is not worth a number.
        """
        games, points = int(self.games[engine]), float(self.points[engine])
        if engine == self.anchor:
            return None
        if self.distinct[engine] < MIN_GAMES:
            return TOO_FEW if games else NO_GAMES
        if self.clusters[engine] < FEWEST:
            return FEW_OPENINGS
        # Whatever the bar: the games say that it is ahead or behind, but not by how much.
        if not 0 < points < games:
            return WON_ALL if points else LOST_ALL
        if self.errors_95[engine] <= MAX_ERROR:
            return None
        return SAME_SEAT if self.never_swapped else TOO_FEW

    @property
    def unknown_advantage(self) -> str | None:
        """Why the advantage of playing first should not be shown; None if it should."""
        if self.distinct.sum() < 2 * MIN_GAMES:
            return TOO_FEW
        if self.advantage_error_95 <= MAX_ERROR:
            return None
        return SAME_SEAT if self.never_swapped else TOO_FEW

    def order(self) -> list[int]:
        """Return the engines' numbers from the highest rating to the lowest, equal ones by name.

        Engines that games do not connect with the largest group come after it.
        """
        # A millionth of an Elo is only rounding.
        return sorted(
            range(len(self.names)),
            key=lambda i: (self.groups[i], -round(float(self.elo[i]), 6), self.names[i]),
        )

    def connected_groups(self) -> list[list[int]]:
        """Return the engines with games by their groups, the largest first."""
        groups: dict[int, list[int]] = {}
        for engine in self.order():
            if self.games[engine]:
                groups.setdefault(int(self.groups[engine]), []).append(engine)
        return [groups[number] for number in sorted(groups)]

    def are_connected(self, one: int, other: int) -> bool:
        """Return whether games connect two engines, so that their ratings can be compared."""
        return bool(self.groups[one] == self.groups[other])

    def score(self, engine: int) -> float | None:
        """Return the points per game of engine number `engine`; None without a game."""
        games = int(self.games[engine])
        return float(self.points[engine]) / games if games else None

    def expected_score(self, first: int, second: int) -> float:
        """Return the points per game, 0 to 1, expected of engine number `first` as first player."""
        return expected_score(float(self.elo[first] - self.elo[second]) + self.advantage)

    @cached_property
    def superiority(self) -> Likelihood | None:
        """The posterior from which the likelihood of superiority follows, if known."""
        return None if self.cautious is None else self.cautious()

    def likelihood_of_superiority(self, one: int, other: int) -> float:
        """Return the probability (LOS) that engine number `one` is stronger than `other`.

        What the two have in common, such as their opponents, cancels out. It is 1/2 where games
        do not connect them, or where the higher rating rests on less than CAUTIOUS virtual draws.
        """
        if not self.are_connected(one, other):
            return 0.5
        if self.superiority is not None and one != other:
            root = self.superiority.root(one, other)
            is_doubtful = root * float(self.elo[one] - self.elo[other]) < 0
            return 0.5 if is_doubtful else STANDARD.cdf(root)
        variance = self._variance_between(one, other)
        if one == other or variance <= 0:
            return 0.5
        return STANDARD.cdf(float(self.elo[one] - self.elo[other]) / math.sqrt(variance))

    def _variance_between(self, one: int, other: int) -> float:
        """Return the variance of the difference of two ratings."""
        if (known := self.covariance) is None:
            sample = np.asarray(self.sample)
            return float(np.mean((sample[:, one] - sample[:, other]) ** 2))
        return float(known[one, one] + known[other, other] - 2 * known[one, other])
