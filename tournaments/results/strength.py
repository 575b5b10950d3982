"""How strong the engines of a tournament are at one game: ratings by the games played so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tournaments.ratings.ratings import AdvantageTest, Ratings
    from tournaments.ratings.results import Results, Row
    from tournaments.results.standings import PlayedGame


@dataclass(frozen=True, slots=True)
class Strength:
    """Ratings, in Elo around a mean of 0, by the engines' names; see `ratings/bradley_terry.py`."""

    ratings: Ratings
    test: AdvantageTest
    place: Mapping[str, int]
    """The number that each engine has among the ratings."""

    def elo(self, name: str) -> float:
        """An engine's rating."""
        return float(self.ratings.elo[self.place[name]])

    def error_95(self, name: str) -> float:
        """Half the width, in Elo, of the interval that holds the true rating with 95 %."""
        return float(self.ratings.errors_95[self.place[name]])

    def superiority(self, one: str, other: str) -> float:
        """The probability (LOS) that `one` is stronger than `other`."""
        return self.ratings.likelihood_of_superiority(self.place[one], self.place[other])


def strength_of(engines: Sequence[str], played: Iterable[PlayedGame]) -> Strength | None:
    """The strength that the games show; None without a game, or with too many engines to rate.

    All games are taken to be of one kind: at another game, engines have another strength.
    """
    return strength_by_counts(engines, Counter(row_of(game) for game in counting(played)))


def strength_by_counts(engines: Sequence[str], counts: Mapping[Row, int]) -> Strength | None:
    """The same, of how often each (first player, second player, winner) occurred."""
    from tournaments.ratings.bradley_terry import MAX_ENGINES, advantage_test, rate

    if not counts or len(engines) > MAX_ENGINES:
        return None
    results = numbered(engines, counts)
    place = {name: index for index, name in enumerate(sorted(engines))}
    return Strength(rate(results), advantage_test(results), place)


def numbered(engines: Sequence[str], counts: Mapping[Row, int]) -> Results:
    """Results in which the engines, sorted by their names, have numbers."""
    from tournaments.ratings.results import from_counts

    # By number, since an engine may answer to a name that no file of results could have.
    number = {name: f"{index:06}" for index, name in enumerate(sorted(engines))}
    rows = {
        (number[first], number[second], winner): count
        for (first, second, winner), count in counts.items()
    }
    return from_counts(rows, number.values())


def counting(played: Iterable[PlayedGame]) -> Iterable[PlayedGame]:
    """The games that are not void."""
    return (game for game in played if not game.outcome.is_void)


def row_of(game: PlayedGame) -> Row:
    """A game as its first player, its second, and which of them won: `first`, `second`, `draw`."""
    winner = game.outcome.winner
    word = "draw" if winner is None else ("first", "second")[winner]
    return game.scheduled.first, game.scheduled.second, word
