"""The strength of engines at one game: ratings by the games played so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.tournaments.ratings.ordered_pairs import Results, Row
    from oddly.tournaments.ratings.ratings import AdvantageTest, Ratings


@dataclass(frozen=True, slots=True)
class Strength:
    """Ratings, in Elo around a mean of 0, by the engines' names; see `ratings/bradley_terry.py`."""

    ratings: Ratings
    test: AdvantageTest
    place: Mapping[str, int]
    """The number of each engine among the ratings."""

    def elo(self, name: str) -> float:
        """Return an engine's rating."""
        return float(self.ratings.elo[self.place[name]])

    def error_95(self, name: str) -> float:
        """Return half the width, in Elo, of the interval that holds the true rating with 95 %."""
        return float(self.ratings.errors_95[self.place[name]])

    def unknown(self, name: str) -> str | None:
        """Return why an engine's rating is not to be shown; None if it is."""
        return self.ratings.unknown(self.place[name])

    def superiority(self, one: str, other: str) -> float:
        """Return the probability (LOS) that `one` is stronger than `other`."""
        return self.ratings.likelihood_of_superiority(self.place[one], self.place[other])


def strength_of(engines: Sequence[str], counts: Mapping[Row, int]) -> Strength | None:
    """Return the strength that results show; None without a game, or with too many engines.

    `counts` says how often each (first player, second player, winner) occurred. All games are of
    one kind: at another game, engines have another strength.
    """
    from oddly.tournaments.ratings.bradley_terry import MAX_ENGINES, advantage_test, rate

    if not counts or len(engines) > MAX_ENGINES:
        return None
    results = _numbered(engines, counts)
    place = {name: index for index, name in enumerate(sorted(engines))}
    return Strength(rate(results), advantage_test(results), place)


def elo_of(engines: Sequence[str], counts: Mapping[Row, int]) -> dict[str, float]:
    """Return the engines' ratings alone, which takes half the time."""
    from oddly.tournaments.ratings.bradley_terry import rate

    elo = rate(_numbered(engines, counts)).elo
    return dict(zip(sorted(engines), map(float, elo), strict=True))


def _numbered(engines: Sequence[str], counts: Mapping[Row, int]) -> Results:
    """Return results in which the engines, sorted by name, are called by numbers."""
    from oddly.tournaments.ratings.ordered_pairs import from_counts

    # By number, since an engine may answer to a name that no file of results could have.
    number = {name: f"{index:06}" for index, name in enumerate(sorted(engines))}
    rows = {
        (number[first], number[second], winner): count
        for (first, second, winner), count in counts.items()
    }
    return from_counts(rows, number.values())
