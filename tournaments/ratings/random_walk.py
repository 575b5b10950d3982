"""The log-posterior of ratings that move, and its peak with the whole covariance.

An engine has a *state* for each day on which it played. From one to the next its rating moves at
random, normally distributed with the variance drift^2 times the days between. On each day
the model is that of Bradley and Terry with an advantage of playing first (Coulom, "Whole-History
Rating", *Computers and Games* 2008). The prior is that of `posterior.py`; so with one day the
ratings are the static ones.

The *rating* of a period is the mean of the engine's states in it. States of longer periods would
need a model of their own: means of neighbouring weeks move together (Working, "Note on the
Correlation of First Differences of Averages in a Random Chain", *Econometrica* 28, 1960).

The ratings are the means of the posterior, not its peak, which lies nearer to 0: for 30 engines
that drift by 100 Elo a day, the peak shows 85 % of the differences. As in Gaussian variational
approximation (Opper and Archambeau, *Neural Computation* 21, 2009), the chance of each game is
averaged over the uncertainty of its log-odds, by MacKay's formula (*Neural Computation* 4, 1992):
the mean of 1 / (1 + e^-x) is about 1 / (1 + e^(-c x)) with c = 1 / sqrt(1 + pi v / 8), v being the
variance of x.

A drawn game varies less than a decided one, so it tells more: the information of all games is
divided by the same factor that `fit.py` has. What the prior adds to an error bar is what it adds in
`bradley_terry.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.ordered_pairs import connected
from oddly.tournaments.ratings.posterior import MAX_STEPS, WEAKER, LogPosterior, virtual_draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.tournaments.ratings.ordered_pairs import Array, DatedResults, Indices

ROUNDS = 3
"""How often means and variances are found in turn."""

MAX_OPEN = 1.0
"""The greatest variance of log-odds that is averaged over; beyond it, games say almost nothing."""

PRECISION = 1e-7
"""The search ends with a step smaller than this, in units of log-odds."""


class Fitted(NamedTuple):
    """The ratings with a given drift, in units of log-odds, of each engine and period.

    `elo` is relative to the mean of the last ratings of the engines that games connect, and `moved`
    to the engine's first rating.
    """

    elo: Array
    variance: Array
    moved: Array
    moved_variance: Array
    advantage: float


class WalkPosterior(LogPosterior):
    """The log-posterior of the states of all engines, engine by engine, and of the advantage.

    `begins` returns the first day of a day's period, both as ordinals.
    """

    def __init__(
        self, results: DatedResults, prior: float, begins: Callable[[int], int] = lambda day: day
    ) -> None:
        engines = len(results.names)
        days = np.unique(results.day)
        day = np.searchsorted(days, results.day)
        seats = [each.astype(np.int64) for each in (results.first, results.second)]
        met = np.unique(seats[0] * engines + seats[1])
        self.groups = connected(engines, *np.divmod(met, engines))
        codes = [seat * len(days) + day for seat in seats]
        del day, seats, met
        played = np.zeros(engines * len(days), dtype=np.int64)
        for code in codes:
            played += np.bincount(code, results.games, len(played)).astype(np.int64)
        states = np.flatnonzero(played)
        number = (np.cumsum(played > 0) - 1).astype(np.int32)
        pairs = number[codes[0]], number[codes[1]]
        del codes, number
        virtual = virtual_draws(engines, results.first, results.second, results.games, prior)
        games, points = results.games + virtual, results.points + virtual / 2
        super().__init__(len(states), pairs, games, points, has_advantage=True)
        engine, self.day = states // len(days), days[states % len(days)]
        self.before = np.flatnonzero(engine[1:] == engine[:-1])
        """The states that have a next one."""
        self.days_between = np.diff(self.day)[self.before].astype(np.float64)
        begun = np.array([begins(each) for each in days.tolist()], dtype=np.int64)
        begun = begun[states % len(days)]
        is_first = np.append(True, (np.diff(engine) > 0) | (np.diff(begun) > 0))
        self.rating = np.cumsum(is_first) - 1
        """The rating to which each state belongs."""
        self.engine, self.begins = engine[is_first], begun[is_first]
        """The engine of each rating, and the first day of its period."""
        self.games_of_ratings = np.bincount(self.rating, played[states]).astype(np.int64)
        self.share = 1 / np.bincount(self.rating)[self.rating]
        """The share of each state in its rating."""
        self.first_rating = np.flatnonzero(np.append(True, np.diff(self.engine) > 0))
        self.last_rating = np.append(self.first_rating[1:], len(self.engine)) - 1
        self._virtual = virtual
        self._draws = float(results.draws.sum())
        self.tension: Array = np.zeros(len(self.before))
        self._scale: Array | float = 1.0

    @property
    def group_sizes(self) -> Indices:
        """The number of engines in each group that games connect."""
        return np.bincount(self.groups)

    def allow_for_draws(self, point: Array) -> None:
        """Scale the information up by as much as draws vary less, given the ratings of `point`."""
        decided = 0.25 + float(self.weights(point).sum())
        factor = max(0.25, decided - self._draws / 4) / decided
        self.games, self.points = self.games / factor, self.points / factor
        self._virtual = self._virtual / factor

    def average_over(self, variances: Array | None) -> None:
        """Average over log-odds with these variances, for each entry; None for no averaging."""
        self._scale = 1.0
        if variances is not None and len(self.before):
            self._scale = 1 / np.sqrt(1 + math.pi / 8 * np.clip(variances, 0.0, MAX_OPEN))

    def weights(self, point: Array) -> Array:
        """Return the information of each entry about its log-odds."""
        chance = 1 / (1 + np.exp(-self._scale * self.log_odds(point)))
        weights: Array = self.games * self._scale * chance * (1 - chance)
        return weights

    def set_drift(self, drift: float) -> None:
        """Let ratings move by a standard deviation of `drift` Elo in a day."""
        self.tension = 1 / ((drift / ELO_PER_NAT) ** 2 * self.days_between)

    def moves(self, point: Array) -> Array:
        """Return by how much each rating that has a next one changes."""
        change: Array = point[self.before + 1] - point[self.before]
        return change

    def slopes_of_weights(self, point: Array) -> Array:
        """Return how fast the information of each entry rises with its log-odds."""
        chance = 1 / (1 + np.exp(-self.log_odds(point)))
        slopes: Array = self.games * chance * (1 - chance) * (1 - 2 * chance)
        return slopes

    def logarithm(self, point: Array) -> float:
        """Return the log-posterior up to a constant."""
        walked = float(np.sum(self.tension * self.moves(point) ** 2))
        return super().logarithm(point) - walked / 2 + float(np.sum(np.log(self.tension))) / 2

    def gradient(self, point: Array) -> Array:
        """Return the first derivatives of the log-posterior."""
        chance = 1 / (1 + np.exp(-self._scale * self.log_odds(point)))
        slope = self.taken(self.points - self.games * chance)
        slope[-1] -= self.prior_information * point[-1]
        pull = self.tension * self.moves(point)
        slope[self.before] += pull
        slope[self.before + 1] -= pull
        return slope

    def pull(self, point: Array) -> Array:
        """Return the gradient of the virtual draws alone, which draw ratings together."""
        odds = self._scale * self.log_odds(point)
        return self.taken(-self._virtual / 2 * np.tanh(odds / 2))

    def diagonal(self, weights: Array) -> Array:
        """Return the information of each state, given all others."""
        found: Array = np.zeros(self.engines)
        for seat in (self.first, self.second):
            found += np.bincount(seat, weights, self.engines)
        found[self.before] += self.tension
        found[self.before + 1] += self.tension
        return found

    def information(self, point: Array) -> Array:
        """Return the second derivatives of the log-posterior with the sign changed."""
        size, weights = self.engines, self.weights(point)
        matrix = np.zeros((size + 1, size + 1))
        np.add.at(matrix, (self.first, self.second), -weights)
        matrix[self.before, self.before + 1] -= self.tension
        matrix += matrix.T
        matrix[range(size), range(size)] = self.diagonal(weights)
        matrix[:-1, -1] = matrix[-1, :-1] = self.taken(weights)[:-1]
        matrix[-1, -1] = self.prior_information + weights.sum()
        return matrix

    def level(self) -> Array:
        """Return the projection onto the level of each group, about which games tell nothing."""
        group = self.groups[self.engine[self.rating]]
        same = group[:, None] == group
        levels = np.zeros((self.engines + 1, self.engines + 1))
        levels[:-1, :-1] = same / same.sum(axis=1)
        return levels

    def ratings(self, states: Array) -> Array:
        """Return the ratings, which are means of states."""
        if len(self.engine) == len(states):
            return states
        means = np.zeros(len(self.engine))
        means += np.bincount(self.rating, self.share * states)
        return means

    def means_of_last(self, ratings: Array) -> Array:
        """Return the mean of the last ratings of the group of each rating."""
        last = ratings[self.last_rating]
        means = np.bincount(self.groups, last, len(self.group_sizes)) / self.group_sizes
        of_ratings: Array = means[self.groups[self.engine]]
        return of_ratings

    def allowing_for_prior(self, fitted: Fitted, moves: Array) -> Fitted:
        """Return the ratings with what the prior adds to their variances.

        `moves` says how fast the states move with the logarithm of the prior.
        """
        moved = WEAKER / QUANTILE_975 * self.ratings(moves)
        start = self.first_rating[self.engine]
        return fitted._replace(
            variance=fitted.variance + (moved - self.means_of_last(moved)) ** 2,
            moved_variance=fitted.moved_variance + (moved - moved[start]) ** 2,
        )


class DenseWalk:
    """The fit by dense matrices: exact, in time that grows with the cube of the states."""

    def __init__(self, posterior: WalkPosterior) -> None:
        self._posterior = posterior
        self._level = posterior.level()
        self._point = np.zeros(posterior.engines + 1)

    def likelihood(self, drift: float) -> float:
        """Return the logarithm of the likelihood of a drift, up to a constant.

        The ratings are integrated out by Laplace's approximation.
        """
        posterior = self._posterior
        self.climb(drift)
        matrix = posterior.information(self._point) + self._level
        return posterior.logarithm(self._point) - float(np.linalg.slogdet(matrix)[1]) / 2

    def climb(self, drift: float) -> None:
        """Find the peak with a drift, starting at the last peak. Raises ArithmeticError."""
        posterior = self._posterior
        posterior.set_drift(drift)

        def step_at(point: Array) -> Array:
            matrix = posterior.information(point) + self._level
            return np.linalg.solve(matrix, posterior.gradient(point))

        posterior.climb(self._point, step_at, PRECISION, MAX_STEPS)

    def allow_for_draws(self) -> None:
        """Let drawn games tell more than decided ones."""
        self._posterior.allow_for_draws(self._point)

    def fitted(self, drift: float) -> Fitted:
        """Return the ratings with a drift, and their variances."""
        posterior, first, second = self._posterior, self._posterior.first, self._posterior.second
        for _ in range(ROUNDS):
            self.climb(drift)
            whole = np.linalg.inv(posterior.information(self._point) + self._level)
            own = np.diag(whole)
            open_ = own[first] + own[second] + own[-1] - 2 * whole[first, second]
            posterior.average_over(open_ + 2 * (whole[first, -1] - whole[second, -1]))
        self.climb(drift)
        ratings = posterior.ratings(self._point[:-1])
        whole = np.linalg.inv(posterior.information(self._point) + self._level)
        moves, covariance = (whole @ posterior.pull(self._point))[:-1], whole[:-1, :-1]
        posterior.average_over(None)
        means = np.zeros((len(ratings), posterior.engines))
        means[posterior.rating, range(posterior.engines)] = posterior.share
        covariance = means @ covariance @ means.T
        diagonal, group = np.diag(covariance), posterior.groups[posterior.engine]
        sizes = posterior.group_sizes
        share = np.zeros((len(ratings), len(sizes)))
        share[posterior.last_rating, posterior.groups] = 1 / sizes[posterior.groups]
        shared = covariance @ share
        of_means = np.sum(share * shared, axis=0)
        start = posterior.first_rating[posterior.engine]
        every = np.arange(len(ratings))
        fitted = Fitted(
            ratings - posterior.means_of_last(ratings),
            diagonal + of_means[group] - 2 * shared[every, group],
            ratings - ratings[start],
            diagonal + diagonal[start] - 2 * covariance[every, start],
            float(self._point[-1]),
        )
        return posterior.allowing_for_prior(fitted, moves)
