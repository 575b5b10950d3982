"""What one game of an event comes to: places, ratings, and how its games went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tournaments.ratings.bradley_terry import MAX_ENGINES, advantage_test, rate
from tournaments.results.standings import crosstable, standings
from tournaments.results.strength import numbered, row_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from games.game import Game
    from tournaments.ratings.ratings import Ratings
    from tournaments.ratings.results import Row
    from tournaments.results.standings import Crosstable, PlayedGame, Standing


@dataclass(frozen=True, slots=True)
class Rating:
    """An engine's Elo, half the width of its 95 % interval, and its LOS over the next one below."""

    elo: float
    error_95: float
    superiority: float | None


@dataclass(frozen=True, slots=True)
class Advantage:
    """What playing first is worth in Elo, half the width of its 95 % interval, and its p-value.

    The last says how often so great a one comes about if there is none.
    """

    elo: float
    error_95: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Chapter:
    """One game's standings and ratings; `order` has the engines from the strongest down."""

    game: Game
    played: Sequence[PlayedGame]
    order: list[str]
    standings: dict[str, Standing]
    crosstable: Crosstable
    ratings: dict[str, Rating]
    """Empty where too many engines play to rate them."""
    advantage: Advantage | None
    """None without ratings."""
    seats: dict[str, tuple[float | None, float | None]]
    """Points a game as first player and as second; None without a game."""
    lengths: Counter[int]
    """How many games had so many turns, of those that no fault ended."""
    endings: Counter[str]
    first_score: float
    """Points a game of all first players together, 0 to 1."""


def chapters(engines: Sequence[str], played: Iterable[PlayedGame]) -> list[Chapter]:
    """A chapter for each game that was played, in the order of its first appearance."""
    by_title: dict[str, list[PlayedGame]] = {}
    for game in played:
        by_title.setdefault(str(game.scheduled.game), []).append(game)
    return [_chapter(engines, games) for games in by_title.values()]


def _chapter(engines: Sequence[str], played: list[PlayedGame]) -> Chapter:
    met = {name for game in played for name in (game.scheduled.first, game.scheduled.second)}
    names = [name for name in engines if name in met]
    table = {row.name: row for row in standings(names, played)}
    ratings, advantage = rated(names, Counter(map(row_of, played)))
    order = sorted(table, key=lambda name: -ratings[name].elo) if ratings else list(table)
    return Chapter(
        played[0].scheduled.game,
        played,
        order,
        table,
        crosstable(names, played),
        ratings,
        advantage,
        _seats(table, played),
        Counter(game.outcome.turns for game in played if not game.outcome.is_forfeit),
        Counter(game.outcome.termination.value for game in played),
        sum(game.points[0] for game in played) / len(played),
    )


def rated(
    names: Sequence[str], counts: Mapping[Row, int]
) -> tuple[dict[str, Rating], Advantage | None]:
    """The engines' ratings, and what playing first is worth; nothing if there are too many."""
    if len(names) > MAX_ENGINES:
        return {}, None
    results = numbered(names, counts)
    ratings = rate(results)
    by_name = dict(zip(sorted(names), _told(ratings), strict=True))
    p_value = advantage_test(results).p_value
    return by_name, Advantage(ratings.advantage, ratings.advantage_error_95, p_value)


def elos(names: Sequence[str], counts: Mapping[Row, int]) -> dict[str, float]:
    """The engines' ratings alone."""
    return dict(zip(sorted(names), map(float, rate(numbered(names, counts)).elo), strict=True))


def _told(ratings: Ratings) -> list[Rating]:
    """The ratings by the engines' numbers."""
    order = ratings.order()
    below = dict(pairwise(order))
    return [
        Rating(
            float(ratings.elo[engine]),
            float(ratings.errors_95[engine]),
            ratings.likelihood_of_superiority(engine, below[engine]) if engine in below else None,
        )
        for engine in range(len(ratings.names))
    ]


def _seats(
    table: dict[str, Standing], played: Iterable[PlayedGame]
) -> dict[str, tuple[float | None, float | None]]:
    games: Counter[tuple[str, int]] = Counter()
    for game in played:
        games.update(((game.scheduled.first, 0), (game.scheduled.second, 1)))
    return {
        name: (_share(row.as_first, games[name, 0]), _share(row.as_second, games[name, 1]))
        for name, row in table.items()
    }


def _share(points: float, games: int) -> float | None:
    return points / games if games else None
