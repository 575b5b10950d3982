"""Games counted by their players, their winner and their day, as they arrive.

A game is one number until it is counted: memory depends on how many different players, winners and
days there are, not on the number of games.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.tournaments.ratings.ordered_pairs import DRAW, FIRST, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]
    Indices = NDArray[np.integer[Any]]

PERIODS: Mapping[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
}
"""Functions from a day to the first day of its period; weeks begin on Mondays."""

WINNERS = {FIRST: 0, SECOND: 1, DRAW: 2}

ENGINE_BITS, DAY_BITS = 20, 22
"""A game is one number: that of its day, those of its players, and two bits for its winner."""

MAX_ENGINES = 1 << ENGINE_BITS

BUFFER = 1 << 17
"""The games waiting to be counted."""


class DatedGame(NamedTuple):
    """The first player, the second, which of them won, and on which day."""

    first: str
    second: str
    winner: str
    day: date


def beginning(period: str, day: int) -> int:
    """Return the first day of a day's period, one of PERIODS. Days are ordinals."""
    return PERIODS[period](date.fromordinal(day)).toordinal()


@dataclass(frozen=True, slots=True, eq=False)
class DatedResults:
    """Counts by ordered pair and day. Engines are numbered in the order of `names`, sorted.

    Entry k of the arrays says that `first[k]` met `second[k]` on the day with the ordinal `day[k]`,
    in `games[k]` games of which it drew `draws[k]` and had `points[k]`. Entries are sorted by the
    first player, the day, and the second player.
    """

    names: tuple[str, ...]
    first: Indices
    second: Indices
    day: Indices
    games: Indices
    draws: Indices
    points: Array


class DatedCounts:
    """Counts games of one kind."""

    def __init__(self, games: Iterable[DatedGame] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self.games = 0
        """How many games have been counted."""
        self._waiting = array("q")
        self._codes = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int32)
        for game in games:
            self.add(game.first, game.second, game.winner, game.day.toordinal())

    def add(self, first: str, second: str, winner: str, day: int) -> None:
        """Count a game on a day, given by its ordinal. Raises KeyError for an unknown winner.

        Raises ValueError for too many engines.
        """
        numbers = self._numbers
        one = numbers.setdefault(first, len(numbers))
        other = numbers.setdefault(second, len(numbers))
        if len(numbers) > MAX_ENGINES:
            raise ValueError(f"there are more than {MAX_ENGINES} engines")
        pair = ((day << ENGINE_BITS) + one << ENGINE_BITS) + other
        self._waiting.append((pair << 2) + WINNERS[winner])
        self.games += 1
        if len(self._waiting) == BUFFER:
            self._count()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the engines, sorted."""
        return tuple(sorted(self._numbers))

    def _count(self) -> None:
        """Add the games that wait to the counts."""
        codes, counts = np.unique(np.frombuffer(self._waiting, np.int64), return_counts=True)
        self._waiting = array("q")
        merged, place = np.unique(np.concatenate([self._codes, codes]), return_inverse=True)
        total = np.bincount(place, np.concatenate([self._counts, counts]), len(merged))
        self._codes, self._counts = merged, total.astype(np.int32)

    def results(self) -> DatedResults:
        """Return the counts."""
        self._count()
        order = self.names
        renumbered = np.zeros(len(order), dtype=np.int64)
        for place, name in enumerate(order):
            renumbered[self._numbers[name]] = place
        found, entry = np.unique(self._by_player(renumbered), return_inverse=True)
        winner = (self._codes & 3).astype(np.int8)
        games, wins, draws = (
            np.bincount(entry, self._counts * chosen, len(found)).astype(np.int32)
            for chosen in (1, winner == WINNERS[FIRST], winner == WINNERS[DRAW])
        )
        return DatedResults(
            order,
            (found >> ENGINE_BITS + DAY_BITS).astype(np.int32),
            (found & (MAX_ENGINES - 1)).astype(np.int32),
            ((found >> ENGINE_BITS) & ((1 << DAY_BITS) - 1)).astype(np.int32),
            games,
            draws,
            wins + draws / 2,
        )

    def _by_player(self, renumbered: Indices) -> Indices:
        """Return numbers that sort by the first player, the day, and the second player."""
        pairs = self._codes >> 2
        code: Indices = renumbered[(pairs >> ENGINE_BITS) & (MAX_ENGINES - 1)] << DAY_BITS
        code += pairs >> 2 * ENGINE_BITS
        code <<= ENGINE_BITS
        code += renumbered[pairs & (MAX_ENGINES - 1)]
        return code
