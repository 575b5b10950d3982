"""Ratings that may move: how strong engines were in each period of a long event.

The model is whole-history rating: Coulom, "Whole-History Rating: A Bayesian Rating System for
Players of Time-Varying Strength", *Computers and Games* 2008. Within a period it is the model of
Bradley and Terry with an advantage of playing first; between two periods a rating moves at random,
with a variance that grows with the days between. Every game affects every rating, so later games
make earlier ratings more certain. The package `whole-history-rating` computes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import MissingExtraError
from oddly.tournaments.ratings.elo import ELO_PER_NAT, QUANTILE_975
from oddly.tournaments.ratings.ordered_pairs import DRAW, FIRST, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from whr import WHR

DEFAULT_DRIFT = 10.0
"""The standard deviation, in Elo, of the expected change of a rating in a day."""

PERIODS: Mapping[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
}
"""Functions from a day to the first day of its period; weeks begin on Mondays."""

WINNERS = {FIRST: "B", SECOND: "W", DRAW: "D"}
"""The winners in the words of the package, in which Black opens."""

OPENING = 1
"""The key of the advantage of playing first, which all games have."""


ITERATIONS = 10
MAX_STEPS = 1000
PRECISION = 0.01
"""The most, in Elo, by which ratings may still move in ITERATIONS."""


class DatedGame(NamedTuple):
    """The first player, the second, which of them won, and on which day."""

    first: str
    second: str
    winner: str
    day: date


@dataclass(frozen=True, slots=True)
class PeriodRating:
    """An engine's rating in the period that begins on a day, in Elo, with its 95 % bar.

    `moved` is its difference from the engine's first rating, with its own error bar.
    """

    begins: date
    games: int
    elo: float
    error_95: float
    moved: float
    moved_error_95: float


@dataclass(frozen=True, slots=True)
class EngineHistory:
    """An engine's ratings in the periods in which it played, at least one."""

    name: str
    periods: tuple[PeriodRating, ...]


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """Ratings over time, the highest last rating first, and the advantage of opening, all in Elo.

    The mean of the last ratings is 0.
    """

    engines: tuple[EngineHistory, ...]
    advantage: float


def rate_over_time(
    games: Iterable[DatedGame], period: str = "day", drift: float = DEFAULT_DRIFT
) -> RatingHistory:
    """Return the most probable ratings in each period, one of PERIODS.

    `drift` is the standard deviation in Elo of the change of a rating in a day. The bars take the
    opponents' ratings as known, which makes them too narrow.

    Raises ValueError without a game or with a drift not above 0, ArithmeticError if ratings do not
    settle, and MissingExtraError without the package.
    """
    try:
        from whr import WHR
    except ImportError:
        raise MissingExtraError(
            "ratings --over-time", "whole-history-rating", "over-time"
        ) from None
    if not drift > 0:
        raise ValueError(f"the drift must be above 0 Elo, not {drift}")
    begins = PERIODS[period]
    # By number, because the package may interpret names.
    numbers: dict[str, str] = {}
    model = WHR({"w2": drift**2})
    played: dict[tuple[str, int], int] = {}
    for game in games:
        step = begins(game.day).toordinal()
        seats = [numbers.setdefault(name, str(len(numbers))) for name in game[:2]]
        model.create_game(seats[0], seats[1], WINNERS[game.winner], step, OPENING)
        for seat in seats:
            played[seat, step] = played.get((seat, step), 0) + 1
    if not numbers:
        raise ValueError("there are no games to rate")
    mean = _settle(model)
    engines = [
        _engine_history(model, name, number, mean, played) for name, number in numbers.items()
    ]
    engines.sort(key=lambda engine: (-round(engine.periods[-1].elo, 6), engine.name))
    return RatingHistory(tuple(engines), ELO_PER_NAT * math.log(model.handicap_gamma[OPENING]))


def _settle(model: WHR) -> float:
    """Iterate until only the common level moves, and return the mean of the last ratings.

    Only the weak priors hold that level, so it settles long after all differences.
    """
    before: list[float] = []
    for _ in range(MAX_STEPS):
        model.iterate(ITERATIONS)
        last = [player.days[-1].elo for player in model.players.values()]
        mean = float(sum(last)) / len(last)
        now = [day.elo - mean for player in model.players.values() for day in player.days]
        if before and max(map(abs, map(sub, now, before))) < PRECISION:
            return mean
        before = now
    raise ArithmeticError(f"ratings do not settle in {MAX_STEPS * ITERATIONS} iterations")


def _engine_history(
    model: WHR, name: str, number: str, mean: float, played: Mapping[tuple[str, int], int]
) -> EngineHistory:
    steps, covariance = model.rating_covariance(number)
    ratings = [day.elo for day in model.player_by_name(number).days]
    periods = []
    for index, (step, rating) in enumerate(zip(steps, ratings, strict=True)):
        variance = float(covariance[index, index])
        shared = variance + float(covariance[0, 0]) - 2 * float(covariance[index, 0])
        periods.append(
            PeriodRating(
                date.fromordinal(int(step)),
                played[number, int(step)],
                rating - mean,
                QUANTILE_975 * math.sqrt(variance),
                rating - ratings[0],
                QUANTILE_975 * math.sqrt(max(0.0, shared)),
            )
        )
    return EngineHistory(name, tuple(periods))
