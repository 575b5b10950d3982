"""Estimates: numbers with their 95 % intervals.

Among them is the rate at which an engine throws away proven wins, board by board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeVar

from oddly.tournaments import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.engines.benchmark.decided_positions import DecidedPosition


Item = TypeVar("Item")

RESAMPLES = 1000


class IntervalMethod(Enum):
    """How the 95 % interval of an estimate was found."""

    EXACT = "counted, so without an error"
    WILSON = "Wilson's interval"
    WALD = "1.96 standard errors of a share of one half"
    STUDENT = "Student's t times the standard error of the mean"
    BOOTSTRAP = f"percentiles of {RESAMPLES} bootstrap samples of whole games"
    BOOTSTRAP_ERROR = f"1.96 standard deviations of {RESAMPLES} bootstrap samples of whole games"
    CHAO = "Chao's log-normal interval"
    TREND = "1.96 standard errors of the slope"
    WEIGHTED = "1.96 standard errors of a weighted mean"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval and the number of samples it comes from.

    `low` and `high` are None where there are too few samples for an interval.
    """

    value: float
    low: float | None
    high: float | None
    method: IntervalMethod
    samples: int


def exactly(value: float) -> Estimate:
    """Return a number that was counted or computed, and so has no error."""
    return Estimate(value, value, value, IntervalMethod.EXACT, 1)


def share(successes: float, trials: int) -> Estimate | None:
    """Return a share with Wilson's score interval, or None without trials.

    Wilson, "Probable inference", Journal of the American Statistical Association 22 (1927). Draws
    may count half a point; the interval is then somewhat too wide.
    """
    if trials == 0:
        return None
    rate, square = successes / trials, QUANTILE_975**2
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    half = (
        QUANTILE_975
        * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials**2))
        / (1 + square / trials)
    )
    # At 0 and 1, rounding could leave the share itself outside.
    low, high = min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half))
    return Estimate(rate, low, high, IntervalMethod.WILSON, trials)


def mean_or_none(values: Sequence[float]) -> Estimate | None:
    """Return the mean of independent values with Student's interval, or None without values."""
    return mean(values) if values else None


def means_by_turn(courses: Sequence[Sequence[float]]) -> list[tuple[float, Estimate]]:
    """Return, for each turn from 1, the mean over the games that last until then.

    The means end when fewer than half of the games, or fewer than two, are left: the last few games
    alone would make the end of a line erratic.
    """
    longest = max(map(len, courses), default=0)
    values = [[course[turn] for course in courses if len(course) > turn] for turn in range(longest)]
    enough = max(2, len(courses) / 2)
    return [
        (float(turn), mean(some))
        for turn, some in enumerate(values, start=1)
        if len(some) >= enough
    ]


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean of one value or more, with Student's interval.

    A single value has no interval, and neither do non-negative values whose interval would reach
    below 0: they are too few.
    """
    middle, number = fmean(values), len(values)
    if number < 2:
        return Estimate(middle, None, None, IntervalMethod.STUDENT, number)
    half = student_975(number - 1) * stdev(values) / math.sqrt(number)
    if middle - half < 0 <= min(values):
        return Estimate(middle, None, None, IntervalMethod.STUDENT, number)
    return Estimate(middle, middle - half, middle + half, IntervalMethod.STUDENT, number)


def student_975(freedom: int) -> float:
    """Return the 97.5 % point of Student's t.

    Exact for 1 and 2 degrees of freedom; else Abramowitz and Stegun, *Handbook of Mathematical
    Functions* (1964), 26.7.5, which is right to 1 % from 3 on.
    """
    if freedom == 1:
        return 12.706204736
    if freedom == 2:
        return 4.302652730
    z = QUANTILE_975
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def bootstrap(
    games: Sequence[Item], statistic: Callable[[Sequence[Item]], float]
) -> Estimate | None:
    """Return a statistic of games with its percentiles over resampled games; None without games.

    Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), part 13. The turns of one game
    depend on each other, so whole games are resampled.
    """
    if not games:
        return None
    value = statistic(games)
    if len(games) < 2:
        return Estimate(value, None, None, IntervalMethod.BOOTSTRAP, len(games))
    found = sorted(_resampled(games, statistic))
    last = RESAMPLES - 1
    low, high = found[round(0.025 * last)], found[round(0.975 * last)]
    return Estimate(value, low, high, IntervalMethod.BOOTSTRAP, len(games))


def bootstrap_error(
    games: Sequence[Item], statistic: Callable[[Sequence[Item]], float]
) -> Estimate | None:
    """Return a statistic of games with its spread over resampled games; None without games.

    The interval lies around the value itself. It suits statistics that are biased when a game is
    drawn twice, such as the number of actions above the average.
    """
    if not games:
        return None
    value = statistic(games)
    if len(games) < 2:
        return Estimate(value, None, None, IntervalMethod.BOOTSTRAP_ERROR, len(games))
    half = QUANTILE_975 * stdev(_resampled(games, statistic))
    return Estimate(value, value - half, value + half, IntervalMethod.BOOTSTRAP_ERROR, len(games))


def share_by_game(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """Return a share of turns, from the counts of each game; None without games.

    Its interval is that of `bootstrap`. If all games agree on 0 or 1, which resampling would take
    for certainty, it is Wilson's interval with one trial for each game.
    """
    estimate = bootstrap(pairs, ratio_of_sums)
    if estimate is not None and estimate.value in (0.0, 1.0):
        return share(estimate.value * len(pairs), len(pairs))
    return estimate


def _resampled(games: Sequence[Item], statistic: Callable[[Sequence[Item]], float]) -> list[float]:
    random = Random(0)
    return [statistic(random.choices(games, k=len(games))) for _ in range(RESAMPLES)]


def slope(points: Sequence[tuple[float, float]]) -> Estimate | None:
    """Return the slope of the least-squares line.

    Returns None for fewer than three points, or if all are at one place. Its error follows White,
    "A heteroskedasticity-consistent covariance matrix estimator", *Econometrica* 48 (1980): the
    spread may differ from place to place.
    """
    if len(points) < 3:
        return None
    middle_x, middle_y = (fmean(point[axis] for point in points) for axis in (0, 1))
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if spread == 0:
        return None
    rise = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    rests = ((x - middle_x, y - middle_y - rise * (x - middle_x)) for x, y in points)
    half = QUANTILE_975 * math.sqrt(sum((across * rest) ** 2 for across, rest in rests)) / spread
    return Estimate(rise, rise - half, rise + half, IntervalMethod.TREND, len(points))


def transformed(estimate: Estimate | None, change: Callable[[float], float]) -> Estimate | None:
    """Return a rising function of an estimate and of its interval, or None for None."""
    if estimate is None:
        return None
    low, high = (None if end is None else change(end) for end in (estimate.low, estimate.high))
    return Estimate(change(estimate.value), low, high, estimate.method, estimate.samples)


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the sum of the first numbers over the sum of the second, or 0 if that is 0."""
    below = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / below if below else 0.0


@dataclass(frozen=True, slots=True)
class ThrownWin:
    """A win that was thrown away: where, and by which turn or fault."""

    decided: DecidedPosition
    answer: str


@dataclass
class ErrorRate:
    """An engine's answers to the decided positions of one board."""

    board: str
    positions: int = 0
    thrown: list[ThrownWin] = field(default_factory=list)
    faults: int = 0
    """Answers that were not a turn or came too late; each threw a win away."""
    unproved: int = 0
    """Answers that the solver could not judge; they do not count."""

    def count(self, decided: DecidedPosition, answer: str, *, is_kept: bool | None) -> None:
        """Count an answer; `is_kept` says whether the win is kept, None if unknown."""
        if is_kept is None:
            self.unproved += 1
            return
        self.positions += 1
        if not is_kept:
            self.thrown.append(ThrownWin(decided, answer))

    def count_fault(self, decided: DecidedPosition, reason: str) -> None:
        """Count a fault of the engine."""
        self.faults += 1
        self.count(decided, reason, is_kept=False)

    @property
    def rate(self) -> Estimate | None:
        """The share of wins thrown away, with Wilson's interval; None without positions."""
        return share(len(self.thrown), self.positions)


def total(rates: list[ErrorRate]) -> ErrorRate:
    """Return the sum over all boards."""
    thrown = [win for rate in rates for win in rate.thrown]
    return ErrorRate(
        "all",
        sum(rate.positions for rate in rates),
        thrown,
        sum(rate.faults for rate in rates),
        sum(rate.unproved for rate in rates),
    )
