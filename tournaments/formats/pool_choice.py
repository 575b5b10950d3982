"""Which two engines should play next, so that the widest error bar shrinks most.

The covariance C of ratings that are centred on their mean is the inverse of their information. A
game between engines of ratings r_i and r_j adds the information w d d', where d has 1 at i and -1
at j, and w = p (1 - p) / (400 / ln 10)^2 in 1 / Elo^2 if i wins with probability p. So it takes

    w (C d) (C d)' / (1 + w d' C d)

from C: Sherman and Morrison, "Adjustment of an inverse matrix corresponding to a change in one
element of a given matrix", Annals of Mathematical Statistics 21 (1950). The information is the
expected one, which for these models equals the observed one whatever the result. The advantage of
playing first, which both seats of a pair share, is taken as known.

C is that of ideal games. Draws, repeated openings and ratings that do not fit make the ratings' own
variances greater; this enters as a factor for each engine. If it were in C, a pair with an effect
of its own would seem to have the widest bar whatever it plays, and be chosen for ever.

Among few engines, all pairs are compared by the joint covariance, which every game changes. Among
hundreds or thousands, `LiveRatings` are updated game by game, and the engine with the widest bar
gets the opponent against whom that bar shrinks most; only its column of the covariance is computed.
There a full fit tells how much wider the bars are because of draws, repeated openings and ratings
that do not fit. It is repeated after as many games as there are engines, and before the pool ends.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments.ratings.bradley_terry import MIN_GAMES, PRIOR, Ratings
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.live import DIGITS, UNMET, LiveRatings, result_variance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from oddly.tournaments.formats.format import Contest
    from oddly.tournaments.ratings.ordered_pairs import Array


class Expectation:
    """The error bars of some engines as they will be after certain games.

    Ratings are relative to the mean of these engines, so others, which no longer play, widen no
    bar. Raises ValueError for ratings without a joint covariance.
    """

    def __init__(self, ratings: Ratings, engines: Sequence[str]) -> None:
        rated = {name: number for number, name in enumerate(ratings.names)}
        chosen = [rated[name] for name in engines]
        centre = np.eye(len(chosen)) - 1 / max(1, len(chosen))
        groups = ratings.groups[chosen]
        level = UNMET**2 * (groups[:, None] == groups)
        ideal = ratings.ideal_covariance
        self.engines = list(engines)
        self.number = {name: number for number, name in enumerate(engines)}
        if ratings.covariance is None or ideal is None:
            raise ValueError("ratings without a joint covariance tell no expected error bars")
        own, joint = (
            centre @ (each[np.ix_(chosen, chosen)] + level) @ centre
            for each in (ideal, ratings.covariance)
        )
        self.covariance = own
        self.wider = np.diag(joint) / np.where(np.diag(own) > 0, np.diag(own), 1.0)
        self.information = _information_of_pairs(ratings, chosen)
        self.stretches = ratings.stretches[chosen]
        self._moves = centre @ ratings.moves[chosen]

    def add(self, one: str, other: str, games: int) -> None:
        """Expect games, half of them in either seat; games of other engines are ignored."""
        if one not in self.number or other not in self.number:
            return
        first, second = self.number[one], self.number[other]
        information = self.information[first, second] * games / 2
        change = self.covariance[:, first] - self.covariance[:, second]
        spread = change[first] - change[second]
        self.covariance -= np.outer(change, change) * information / (1 + information * spread)

    def errors_95(self) -> Array:
        """Return half the widths, in Elo, of the 95 % intervals of the ratings."""
        of_games = QUANTILE_975 * np.sqrt(np.maximum(0.0, self.variances)) * self.stretches
        errors: Array = np.hypot(of_games, self._moves)
        return errors

    @property
    def variances(self) -> Array:
        """The expected variances of the ratings, in square Elo."""
        found: Array = np.diag(self.covariance) * self.wider
        return found

    def widest(self) -> tuple[str, float]:
        """Return the engine with the widest bar, and half its width in Elo."""
        errors = self.errors_95()
        widest = int(np.argmax(np.round(errors, 6)))
        return self.engines[widest], float(errors[widest])

    def are_below(self, until: float) -> bool:
        """Return whether every bar is narrower than `until`."""
        return self.widest()[1] < until

    def best_pair(self, barred: Iterable[Iterable[str]] = ()) -> tuple[str, str] | None:
        """Return the pair whose games shrink the widest bar most; None if all pairs are barred.

        The widest bar is sought among engines that may meet another one. Of equal pairs the first
        in the order of engines is chosen.
        """
        possible = np.triu(np.ones_like(self.covariance, dtype=bool), 1)
        for one, other in barred:
            if one in self.number and other in self.number:
                low, high = sorted((self.number[one], self.number[other]))
                possible[low, high] = False
        if not possible.any():
            return None
        variances = np.diag(self.covariance)
        may_play = possible.any(axis=0) | possible.any(axis=1)
        widest = int(np.argmax(np.where(may_play, np.round(self.variances, 6), -1.0)))
        change = self.covariance[widest][:, None] - self.covariance[widest][None, :]
        spread = variances[:, None] + variances[None, :] - 2 * self.covariance
        gain = change**2 * self.information / (1 + self.information * spread)
        gain = np.where(possible, gain, 0.0)
        best = int(np.argmax(np.round(gain / gain.max(), DIGITS)))
        first, second = divmod(best, len(variances))
        return self.engines[first], self.engines[second]


def _information_of_pairs(ratings: Ratings, engines: Sequence[int]) -> Array:
    """Return the information, in 1 / Elo^2, from a swapped pair of games of any two engines."""
    elo = ratings.elo[engines]
    difference = elo[:, None] - elo[None, :]
    first, second = (
        result_variance((difference + seat * ratings.advantage) / ELO_PER_NAT) for seat in (1, -1)
    )
    information: Array = (first + second) / ELO_PER_NAT**2
    return information


LIVE_ENGINES = 100
"""Pools of this many engines or more are rated this way if SciPy is installed."""

CANDIDATES = 4
"""How many of the widest bars are made exact before one of them is chosen."""


class LiveChoice:
    """The ratings of a pool, and who should play next.

    `names` are the engines, and `fit` returns their ratings by a full fit.
    """

    def __init__(self, names: Iterable[str], fit: Callable[[], Ratings]) -> None:
        self.names = sorted(names)
        self.number = {name: number for number, name in enumerate(self.names)}
        self.live = LiveRatings(len(self.names), PRIOR)
        self._fit = fit
        self._fitted: int | None = None
        """The number of games at the last full fit."""
        self.wider = np.ones(len(self.names))
        """The factors by which variances exceed those of ideal games."""
        self.stretches = np.ones(len(self.names))

    def add(self, first: str, second: str, winner: int | None) -> None:
        """Count a game, won by the first player (0), the second (1) or nobody."""
        points = 0.5 if winner is None else float(winner == 0)
        self.live.add(self.number[first], self.number[second], points)

    def expect(self, one: str, other: str, games: int) -> None:
        """Expect games; a negative number takes some back."""
        self.live.expect(self.number[one], self.number[other], games)

    def settle(self) -> None:
        """Bring everything up to date."""
        self.live.settle()
        if self._fitted is None or self.live.games - self._fitted >= len(self.names):
            self.refit()

    @property
    def is_fitted(self) -> bool:
        """Whether no game has been added since the last full fit."""
        return self._fitted == self.live.games

    def refit(self) -> None:
        """Learn from a full fit how much less games tell than ideal ones would."""
        self._fitted = self.live.games
        ratings = self._fit()
        self.live.compute_variances()
        variances = self.live.variances
        is_known = (ratings.distinct >= MIN_GAMES) & (variances > 0)
        # Groups that no game connects are each relative to their own mean.
        is_known &= not ratings.groups[is_known].any()
        shares = ratings.variances / np.where(variances > 0, variances, 1.0)
        self.wider = np.where(is_known, shares, 1.0)
        self.stretches = np.where(is_known, ratings.stretches, 1.0)


def live_choice(contest: Contest, fit: Callable[[], Ratings]) -> LiveChoice | None:
    """Return the live ratings of many engines; None if they are few, or without SciPy."""
    if len(contest.engines) < LIVE_ENGINES or find_spec("scipy") is None:
        return None
    games = (*(played.scheduled for played in contest.others), *contest.begun)
    players = {name for game in games for name in (game.first, game.second)}
    return LiveChoice({*contest.engines, *players}, fit)


class LiveExpectation:
    """The expected error bars of some engines, and the next pair of them.

    It has the methods of `Expectation`, and the same mean; running games are already expected.
    """

    def __init__(self, choice: LiveChoice, engines: Sequence[str]) -> None:
        choice.settle()
        self.engines = engines
        self._choice = choice
        numbers = choice.number
        self._numbers = np.array([numbers[name] for name in engines], dtype=np.int64)
        self._with_mean: Array = np.zeros(len(numbers))
        """The covariance of each rating with the mean of these engines; 0 without others."""
        if 0 < len(engines) < len(numbers):
            self._with_mean = choice.live.covariance_with_mean(self._numbers)

    def variances(self) -> Array:
        """Return the variances of all ratings around the mean of these engines, in square Elo."""
        live, with_mean = self._choice.live, self._with_mean
        around_mean = live.variances - 2 * with_mean + with_mean[self._numbers].mean()
        found: Array = np.maximum(0.0, around_mean) * self._choice.wider
        return found

    def errors_95(self) -> Array:
        """Return half the widths, in Elo, of the 95 % intervals of the ratings."""
        errors: Array = QUANTILE_975 * np.sqrt(self.variances()) * self._choice.stretches
        return errors

    def widest(self) -> tuple[str, float]:
        """Return the engine with the widest bar, and half its width in Elo."""
        widest = self._exact(self.errors_95, self._numbers)
        return self._choice.names[widest], float(self.errors_95()[widest])

    def are_below(self, until: float) -> bool:
        """Return whether every bar is narrower; a full fit decides."""
        if self.widest()[1] >= until:
            return False
        if not self._choice.is_fitted:
            self._choice.refit()
        return self.widest()[1] < until

    def best_pair(self, barred: Iterable[Iterable[str]] = ()) -> tuple[str, str] | None:
        """Return the engine with the widest bar and its best opponent; None if none may meet.

        The widest bar is sought among engines that may meet another one. Of equal opponents, the
        first in alphabetical order is chosen.
        """
        numbers = self._choice.number
        kept_apart: dict[int, set[int]] = {}
        for pair in barred:
            one, other = (numbers[name] for name in pair)
            kept_apart.setdefault(one, set()).add(other)
            kept_apart.setdefault(other, set()).add(one)
        among = set(self._numbers.tolist()) if kept_apart else set()
        stuck = [
            engine for engine, others in kept_apart.items() if len(among - others - {engine}) == 0
        ]
        may_play = np.setdiff1d(self._numbers, stuck) if stuck else self._numbers
        if len(self._numbers) < 2 or not len(may_play):
            return None
        widest = self._exact(self.variances, may_play)
        away = [widest, *kept_apart.get(widest, ())]
        opponents = self._numbers[~np.isin(self._numbers, away)]
        opponents.sort()
        gains = self._choice.live.relative_gains(widest, opponents, self._with_mean)
        best = opponents[int(np.argmax(gains))]
        return self._choice.names[widest], self._choice.names[best]

    def _exact(self, widths: Callable[[], Array], among: NDArray[np.int64]) -> int:
        """Return the engine whose `widths` is greatest, after making the greatest ones exact."""
        known: set[int] = set()
        for _ in range(CANDIDATES):
            found = int(among[int(np.argmax(np.round(widths()[among], 6)))])
            if found in known:
                break
            known.add(found)
            self._choice.live.column(found)
        return found
