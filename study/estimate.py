"""Numbers that say how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeVar

from tournaments.ratings.normal import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its 95 % interval, from so many samples.

    `low` and `high` are None where there are too few samples to say.
    """

    value: float
    low: float | None
    high: float | None
    method: IntervalMethod
    samples: int


def exactly(value: float) -> Estimate:
    """A number that was counted or computed."""
    return Estimate(value, value, value, IntervalMethod.EXACT, 1)


def share(successes: float, trials: int) -> Estimate | None:
    """A share with Wilson's score interval; None of nothing.

    Wilson, "Probable inference", Journal of the American Statistical Association 22 (1927). Half
    points for draws may be counted: then the interval is somewhat too wide.
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
    # At nought and one rounding could else leave the share itself outside.
    low, high = min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half))
    return Estimate(rate, low, high, IntervalMethod.WILSON, trials)


def mean(values: Sequence[float]) -> Estimate | None:
    """The mean of independent values, with Student's interval; None of nothing."""
    return mean_of(values) if values else None


def means_by_turn(courses: Sequence[Sequence[float]]) -> list[tuple[float, Estimate]]:
    """For each turn, from 1, the mean over the games that are so long.

    As far as half of the games, and two, are: the last ones would wag the line's end.
    """
    longest = max(map(len, courses), default=0)
    values = [[course[turn] for course in courses if len(course) > turn] for turn in range(longest)]
    enough = max(2, len(courses) / 2)
    return [
        (float(turn), mean_of(some))
        for turn, some in enumerate(values, start=1)
        if len(some) >= enough
    ]


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of one value or more, with Student's interval."""
    middle, number = fmean(values), len(values)
    if number < 2:
        return Estimate(middle, None, None, IntervalMethod.STUDENT, number)
    half = student_975(number - 1) * stdev(values) / math.sqrt(number)
    return Estimate(middle, middle - half, middle + half, IntervalMethod.STUDENT, number)


def student_975(freedom: int) -> float:
    """The 97.5 % point of Student's t.

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
    games: Sequence[Item], statistic: Callable[[Sequence[Item]], float], seed: int = 0
) -> Estimate | None:
    """A statistic of games with percentiles of it over resampled games; None of nothing.

    Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), chapter 13. Turns of one game
    hang together, so whole games are drawn.
    """
    if not games:
        return None
    value = statistic(games)
    if len(games) < 2:
        return Estimate(value, None, None, IntervalMethod.BOOTSTRAP, len(games))
    found = sorted(_resampled(games, statistic, seed))
    last = RESAMPLES - 1
    low, high = found[round(0.025 * last)], found[round(0.975 * last)]
    return Estimate(value, low, high, IntervalMethod.BOOTSTRAP, len(games))


def bootstrap_error(
    games: Sequence[Item], statistic: Callable[[Sequence[Item]], float], seed: int = 0
) -> Estimate | None:
    """The same with the spread of the resampled statistic about the value itself.

    For statistics that drawing a game twice pushes to one side, such as how often most is.
    """
    if not games:
        return None
    value = statistic(games)
    if len(games) < 2:
        return Estimate(value, None, None, IntervalMethod.BOOTSTRAP_ERROR, len(games))
    half = QUANTILE_975 * stdev(_resampled(games, statistic, seed))
    return Estimate(value, value - half, value + half, IntervalMethod.BOOTSTRAP_ERROR, len(games))


def _resampled(
    games: Sequence[Item], statistic: Callable[[Sequence[Item]], float], seed: int
) -> list[float]:
    random = Random(seed)
    return [statistic(random.choices(games, k=len(games))) for _ in range(RESAMPLES)]


def transformed(estimate: Estimate | None, change: Callable[[float], float]) -> Estimate | None:
    """What a rising function makes of an estimate and its interval; None of nothing."""
    if estimate is None:
        return None
    low, high = (None if end is None else change(end) for end in (estimate.low, estimate.high))
    return Estimate(change(estimate.value), low, high, estimate.method, estimate.samples)


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> float:
    """The sum of the first of each pair over the sum of the second; nought of nothing."""
    below = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / below if below else 0.0
