"""The ratings of hundreds or thousands of engines, kept up to date game by game.

A game changes the gradient of the log-posterior along one difference of ratings only. Newton's
method, begun at the last peak, then needs a step or two, of which each solves one sparse system of
equations (`sparse.py`). What games tell about a difference d of ratings adds w d d' to the
information, so w u u' / (1 + w d' u) is taken from its inverse C, where u = C d is one more
solution: Sherman and Morrison, "Adjustment of an inverse matrix corresponding to a change in one
element of a given matrix", Annals of Mathematical Statistics 21 (1950). Only the diagonal of C is
kept, which makes the error bars. A column of C is again one solution.

A game moves the ratings of its two players most, so these two move first. The weights of games
whose log-odds have moved are computed anew before each step, in the matrix where it stands. For the
diagonal of C all of them are, now and then: from the inverse, and of more than MAX_DENSE engines
from SAMPLE solutions, with a standard error of 3 %; then those that matter are made exact.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.posterior import LogPosterior, both_chances
from oddly.tournaments.ratings.sparse import Laplacian, PairWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]

UNMET = 1000.0
"""The standard deviation, in Elo, between engines that no games connect yet."""

SETTLED = 0.01
"""Ratings are right when a step of Newton's method moves none by more, in Elo."""

STEPS = 50
"""The most steps of Newton's method after a game; later games go on from there."""

TOLERANCE = 1e-3
"""What may remain of a step's equations: the next step makes up for it."""

OF_COLUMN = 1e-5
"""The same of the equations for variances."""

MOVED = 0.05
"""By how much log-odds move, until the weights of their games are computed anew."""

ROUGHLY = 1.0
"""A rating on its own is moved until it moves no more than this, in Elo."""

FEW_PLAYERS = 8
"""The most players who are moved on their own before all are."""

SLOW = 8
"""The steps of Newton's method after which all weights are."""

MAX_ADDED = 64
"""The pairs that are added to the information until it is assembled anew."""

MAX_DENSE = 2000
SAMPLE = 512


class LiveRatings:
    """The most probable ratings of some engines, by number, and their variances.

    Unlike `rate` it takes the advantage of playing first as known for the variances, and gives each
    rating a standard deviation of UNMET without games; the ratings themselves are those of `rate`,
    to 0.1 Elo. Games to come may be expected: they narrow the bars, but move no rating.
    """

    def __init__(self, engines: int, prior: float) -> None:
        self.engines = engines
        self.point = np.zeros(engines + 1)
        """The ratings in log-odds, and the advantage."""
        self.games = 0
        self.expected: Counter[tuple[int, int]] = Counter()
        """The games to come by pair, the lower number first."""
        self._prior = prior
        self._entry: dict[tuple[int, int], int] = {}
        self._met: dict[tuple[int, int], int] = {}
        self._opponents = np.zeros(engines)
        self._seats = np.zeros((3, 64), dtype=np.int64)
        """By ordered pair: first, second, and the number of the pair in either order."""
        self._results = np.zeros((2, 64))
        """By ordered pair: games and points."""
        self._posterior: LogPosterior | None = None
        self._is_new = True
        self._entries: list[list[int]] = [[] for _ in range(engines)]
        """The numbers of the ordered pairs of each engine."""
        self._players: set[int] = set()
        """Those of the games that have not moved ratings yet."""
        self._new: list[tuple[int, int, int]] = []
        """The games whose information is not in the matrix, and which are expected no more (-)."""
        self._added = 0
        self._since_variances = 0
        self._played: PairWeights
        """The information of each ordered pair."""
        self._counted: Array
        """Its games when that was computed."""
        self._weighed: Array
        """Its log-odds at that time."""
        self._assemble()
        self._variances = np.full(engines, (UNMET / ELO_PER_NAT) ** 2)
        self._is_exact = np.ones(engines, dtype=bool)
        """Which variances are no estimates from a sample."""
        self._column: tuple[tuple[int, PairWeights, int], Array] | None = None
        """The last column, with its engine, and with the weights and their changes at the time."""

    @property
    def elo(self) -> Array:
        """The ratings, in Elo."""
        ratings: Array = ELO_PER_NAT * self.point[:-1]
        return ratings

    @property
    def variances(self) -> Array:
        """The variances of the ratings around their mean, in square Elo."""
        # The mean is as uncertain as that of engines which never met.
        level = UNMET**2 / max(1, self.engines)
        around_mean: Array = np.maximum(0.0, ELO_PER_NAT**2 * self._variances - level)
        return around_mean

    def add(self, first: int, second: int, points: float, games: int = 1) -> None:
        """Count games with as many points of the first player; ratings move when they settle."""
        pair = _pair(first, second)
        entry = self._entry.get((first, second))
        if entry is None:
            entry = self._enter(first, second)
        self._results[:, entry] += games, points
        self.games += games
        self._posterior, self._is_new = None, True
        self._players |= {first, second}
        known = min(games, self.expected[pair])
        self.expected[pair] -= known
        if games > known:
            self._new.append((first, second, games - known))

    def _enter(self, first: int, second: int) -> int:
        entry = self._entry[first, second] = len(self._entry)
        if entry == self._seats.shape[1]:
            self._seats = np.pad(self._seats, ((0, 0), (0, entry)))
            self._results = np.pad(self._results, ((0, 0), (0, entry)))
        pair = _pair(first, second)
        if pair not in self._met:
            self._met[pair] = len(self._met)
            self._opponents[[first, second]] += 1
        self._seats[:, entry] = first, second, self._met[pair]
        for engine in pair:
            self._entries[engine].append(entry)
        return entry

    def expect(self, one: int, other: int, games: int) -> None:
        """Expect games, half of them in either seat; a negative number takes some back."""
        self.expected[_pair(one, other)] += games
        self._new.append((one, other, games))

    def settle(self) -> None:
        """Bring ratings and variances up to date."""
        if len(self._new) > MAX_ADDED:
            self._assemble()
            self._climb()
            self._assemble()
            self.compute_variances()
            return
        for one, other, games in self._new:
            self._add_information(one, other, games)
        self._new = []
        if self._is_new:
            self._climb()
        if self._since_variances > self.engines // 8:
            self._assemble()
            self.compute_variances()

    def column(self, engine: int) -> Array:
        """Return the covariances of a rating with all, in square Elo, relative to a common level.

        Only differences of them mean anything. It also makes the engine's variance exact.
        """
        key = engine, self._weights, self._weights.changes
        if self._column is None or self._column[0] != key:
            right = np.zeros(self.engines)
            right[engine] = 1.0
            self._column = key, self._information.solve(right, OF_COLUMN)
        column = self._column[1]
        self._variances[engine], self._is_exact[engine] = column[engine], True
        level = UNMET**2 / max(1, self.engines)
        relative: Array = ELO_PER_NAT**2 * column - level
        return relative

    def make_exact(self, engine: int) -> None:
        """Make the variance of a rating exact, if it is an estimate."""
        if not self._is_exact[engine]:
            self.column(engine)

    def covariance_with_mean(self, engines: NDArray[np.int64]) -> Array:
        """Return the covariances of all ratings with the mean of some, as `column` does."""
        right = np.zeros(self.engines)
        right[engines] = 1 / len(engines)
        mean = self._information.solve(right, OF_COLUMN)
        relative: Array = ELO_PER_NAT**2 * mean - UNMET**2 / max(1, self.engines)
        return relative

    def pair_information(self, engine: int) -> Array:
        """Return what a swapped pair of games with each other engine tells, in 1 / Elo^2."""
        difference = self.point[engine] - self.point[:-1]
        return _information(difference, float(self.point[-1])) / ELO_PER_NAT**2

    def _add_information(self, one: int, other: int, games: int) -> None:
        difference = self.point[one] - self.point[other]
        weight = float(_information(difference, float(self.point[-1]))) * games / 2
        right = np.zeros(self.engines)
        right[one], right[other] = 1.0, -1.0
        step = self._information.solve(right, OF_COLUMN)
        self._variances -= weight * step**2 / (1 + weight * (step[one] - step[other]))
        self._weights.add(one, other, weight)
        self._added += 1
        self._since_variances += 1
        if self._added > MAX_ADDED:
            self._assemble()

    def _climb(self) -> None:
        """Go to the peak of the posterior by Newton's method, in steps as in `Posterior.peak`."""
        posterior, self._is_new = self._log_posterior(), False
        if len(self._players) <= FEW_PLAYERS:
            for engine in (*self._players, *self._players):
                self._move(engine)
        self._players.clear()
        odds = posterior.log_odds(self.point)
        for number in range(STEPS):
            if number and number % SLOW == 0:
                self._assemble()
            self._reweigh(odds)
            slope = posterior.slope(odds, float(self.point[-1]))
            step = np.append(self._curvature.solve(slope[:-1], TOLERANCE), 0.0)
            step[-1] = (slope[-1] - float(self._shared @ step[:-1])) / self._of_advantage
            step[:-1] -= step[-1] * self._along
            change = posterior.log_odds(step)
            reach = max(1.0, float(np.abs(change).max(initial=0.0)))
            self.point += step / reach
            odds += change / reach
            if float(np.abs(step).max()) * ELO_PER_NAT < SETTLED:
                break
        self.point[:-1] -= self.point[:-1].mean()

    def _move(self, engine: int) -> None:
        """Move one rating to where it is most probable with the others as they are."""
        posterior, entries = self._log_posterior(), self._entries[engine]
        games, points = posterior.games[entries], posterior.points[entries]
        ahead = np.where(posterior.first[entries] == engine, 1.0, -1.0)
        others = posterior.first[entries] + posterior.second[entries] - engine
        odds = ahead * (self.point[engine] - self.point[others]) + self.point[-1]
        for _ in range(STEPS):
            chance, against = both_chances(odds)
            slope = float(np.sum(ahead * (points * against - (games - points) * chance)))
            step = max(-1.0, min(1.0, slope / float(np.sum(games * chance * against))))
            self.point[engine] += step
            odds += step * ahead
            if abs(step) * ELO_PER_NAT < ROUGHLY:
                return

    def _reweigh(self, odds: Array) -> None:
        """Compute weights anew where games have been played or log-odds have moved."""
        posterior, known = self._log_posterior(), len(self._weighed)
        for first, second in zip(posterior.first[known:], posterior.second[known:], strict=True):
            self._played.add(first, second, 0.0)
        new = np.zeros(len(odds) - known)
        counted, weighed = np.append(self._counted, new), np.append(self._weighed, new)
        stale = (counted != posterior.games) | (np.abs(odds - weighed) > MOVED)
        entries = np.flatnonzero(stale)
        if len(entries):
            chance, against = both_chances(odds[entries])
            self._played.reweigh(entries, posterior.games[entries] * chance * against)
            weighed[entries] = odds[entries]
        self._counted, self._weighed = posterior.games, weighed

    def _log_posterior(self) -> LogPosterior:
        if self._posterior is None:
            first, second, pair = self._seats[:, : len(self._entry)]
            games, points = self._results[:, : len(self._entry)]
            # As `virtual_draws` has it, which would have to sort the pairs.
            share = self._prior / np.maximum(1, self._opponents)
            together = np.bincount(pair, games, len(self._met))
            virtual = (share[first] + share[second]) * games / together[pair]
            self._posterior = LogPosterior(
                self.engines,
                (first, second),
                games + virtual,
                points + virtual / 2,
                has_advantage=True,
            )
        return self._posterior

    def _assemble(self) -> None:
        """Compute the information anew, with the weights that games have at these ratings."""
        posterior = self._log_posterior()
        waiting = [(*pair, games) for pair, games in self.expected.items() if games]
        one, other, games = np.array(waiting, dtype=np.int64).reshape(-1, 3).T
        difference = self.point[one] - self.point[other]
        expected = _information(difference, float(self.point[-1])) * games / 2
        weights = posterior.weights(self.point)
        self._counted, self._weighed = posterior.games, posterior.log_odds(self.point)
        self._played = PairWeights(self.engines, posterior.first, posterior.second, weights)
        self._weights = PairWeights(
            self.engines,
            np.concatenate([posterior.first, one]),
            np.concatenate([posterior.second, other]),
            np.concatenate([weights, expected]),
        )
        self._information = Laplacian(self._weights, ridge=(ELO_PER_NAT / UNMET) ** 2)
        # Ratings have no information on their level, which would keep long chains from moving.
        self._curvature = Laplacian(self._played)
        self._shared = posterior.taken(weights)[:-1]
        """The information that ratings share with the advantage."""
        self._along: Array = np.zeros(self.engines)
        if self._shared.any():
            self._along = self._curvature.solve(self._shared, OF_COLUMN)
        self._of_advantage = float(weights.sum()) + posterior.prior_information
        self._of_advantage -= float(self._shared @ self._along)
        self._new, self._added = [], 0

    def compute_variances(self) -> None:
        """Compute all variances anew."""
        self._since_variances = 0
        self._is_exact = np.full(self.engines, self.engines <= MAX_DENSE)
        if self.engines <= MAX_DENSE:
            self._variances = np.diag(np.linalg.inv(self._information.dense())).copy()
        else:
            self._variances = self._information.diagonal_of_inverse(SAMPLE)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _information(difference: Array, advantage: float) -> Array:
    """Return the information from a swapped pair of games, about differences in log-odds."""
    both = [np.exp(-np.abs(difference + seat * advantage)) for seat in (1, -1)]
    # p (1 - p) of the logistic function, exact in both tails.
    information: Array = sum(each / (1 + each) ** 2 for each in both)
    return information
