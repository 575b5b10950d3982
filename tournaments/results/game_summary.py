"""Summaries of the results of an event, one for each game and one for the total, with standings.

This is the only model of results. Text tables, JSON, the HTML report, the live view and the web
page show its values and compute none of their own.

Ratings are of one game: an engine that is strong at Yodd need not be strong at Ayu. The total has
points only. A win is 1 point, a draw 1/2. Void games do not count. Equal points share a rank; the
order among them is Sonneborn-Berger (the points of beaten opponents, half those of drawn ones),
then the name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games import Game, MissingExtraError
from oddly.tournaments.results.counts import EngineStatistics, ResultCounts, merged
from oddly.tournaments.results.sequential import PairTest, Question, sequential_tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.tournaments.ratings.bradley_terry import Ratings
    from oddly.tournaments.ratings.ordered_pairs import Results
    from oddly.tournaments.ratings.playing_first import AdvantageTest
    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame

    StatisticsByTitle = Mapping[str, Mapping[str, EngineStatistics]]


@dataclass(frozen=True, slots=True)
class Standing:
    """An engine's place.

    `distinct` is the number of its games that are not copies, see `schedule.py`. `as_first` and
    `as_second` are its points as first and second player, from `games_as_first` and
    `games_as_second`.
    """

    rank: int
    name: str
    games: int
    distinct: int
    points: float
    wins: int
    draws: int
    losses: int
    as_first: float
    as_second: float
    forfeits: int
    tie_break: float
    games_as_first: int
    games_as_second: int


@dataclass(slots=True)
class Score:
    """Wins, draws and losses of one engine against one other."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    distinct: int = 0
    """The games that are not copies of earlier ones."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points: a win is 1, a draw 1/2."""
        return self.wins + self.draws / 2

    def add(self, points: float, games: int) -> None:
        """Add a number of games with that result."""
        if points == 1:
            self.wins += games
        elif points == 0:
            self.losses += games
        else:
            self.draws += games


@dataclass(slots=True)
class _Sum:
    """The sums for one engine."""

    against: dict[str, Score] = field(default_factory=dict)
    seats: list[float] = field(default_factory=lambda: [0.0, 0.0])
    games: list[int] = field(default_factory=lambda: [0, 0])
    forfeits: int = 0

    def total(self, what: str) -> float:
        return float(sum(getattr(score, what) for score in self.against.values()))


Crosstable = dict[str, dict[str, Score]]
"""Scores by row engine, then by column engine; a pair that has not met is missing."""


def standings_and_crosstable(
    engines: Iterable[str], counts: ResultCounts
) -> tuple[list[Standing], Crosstable]:
    """Return the engines from first to last, and every engine's score against every opponent."""
    sums = _sums(engines, counts)
    of_all = {name: total.total("points") for name, total in sums.items()}
    tie_breaks = {
        name: sum(of_all[opponent] * score.points for opponent, score in total.against.items())
        for name, total in sums.items()
    }
    order = sorted(sums, key=lambda name: (-of_all[name], -tie_breaks[name], name))
    table: list[Standing] = []
    for place, name in enumerate(order, start=1):
        points = of_all[name]
        rank = table[-1].rank if table and table[-1].points == points else place
        table.append(_standing(rank, name, sums[name], tie_breaks[name]))
    return table, {name: total.against for name, total in sums.items()}


def _standing(rank: int, name: str, total: _Sum, tie_break: float) -> Standing:
    return Standing(
        rank=rank,
        name=name,
        games=int(total.total("games")),
        distinct=int(total.total("distinct")),
        points=total.total("points"),
        wins=int(total.total("wins")),
        draws=int(total.total("draws")),
        losses=int(total.total("losses")),
        as_first=total.seats[0],
        as_second=total.seats[1],
        forfeits=total.forfeits,
        tie_break=tie_break,
        games_as_first=total.games[0],
        games_as_second=total.games[1],
    )


def _sums(engines: Iterable[str], counts: ResultCounts) -> dict[str, _Sum]:
    sums = {name: _Sum() for name in engines}
    for (first, second, winner, is_forfeit), games in counts.results.items():
        for seat, (name, opponent) in enumerate(((first, second), (second, first))):
            points = 0.5 if winner is None else float(winner == seat)
            sums[name].against.setdefault(opponent, Score()).add(points, games)
            sums[name].seats[seat] += points * games
            sums[name].games[seat] += games
            sums[name].forfeits += games * (is_forfeit and winner == 1 - seat)
    for (first, second, _), distinct in counts.distinct.items():
        sums[first].against[second].distinct += distinct
        sums[second].against[first].distinct += distinct
    return sums


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
        """Return half the width, in Elo, of the 95 % interval of an engine's rating."""
        return float(self.ratings.errors_95[self.place[name]])

    def unknown(self, name: str) -> str | None:
        """Return why an engine's rating should not be shown; None if it should."""
        return self.ratings.unknown(self.place[name])

    def superiority(self, one: str, other: str) -> float | None:
        """Return the probability (LOS) that `one` is stronger than `other`.

        It is None where games do not connect them.
        """
        if not self.ratings.are_connected(self.place[one], self.place[other]):
            return None
        return self.ratings.likelihood_of_superiority(self.place[one], self.place[other])


def strength_of(engines: Sequence[str], counts: ResultCounts) -> Strength | None:
    """Return the strength that results show; None without a game, or if a package is missing.

    `counts` are of one game, because engines differ in strength from game to game.
    """
    from oddly.tournaments.ratings.bradley_terry import rate
    from oddly.tournaments.ratings.playing_first import advantage_test

    if not counts.games:
        return None
    results = _numbered(engines, counts)
    place = {name: index for index, name in enumerate(sorted(engines))}
    try:
        return Strength(rate(results), advantage_test(results), place)
    except MissingExtraError:
        return None


def _numbered(engines: Sequence[str], counts: ResultCounts) -> Results:
    """Return the results with engines numbered in the order of their names."""
    from oddly.tournaments.ratings.ordered_pairs import from_counts

    # By number, since an engine may answer to a name that no file of results could have.
    number = {name: f"{index:06}" for index, name in enumerate(sorted(engines))}
    rows, distinct = (
        {
            (number[one], number[other], winner): count
            for (one, other, winner), count in each.items()
        }
        for each in (counts.rows, counts.distinct)
    )
    repeats = {
        (number[one], number[other], seats): count
        for (one, other, seats), count in counts.repeats.items()
    }
    return from_counts(rows, number.values(), distinct, repeats)


TOTAL = "all games"


@dataclass(frozen=True, slots=True)
class GameSummary:
    """The results of one game, or the total of several."""

    title: str
    game: Game | None
    """None for the total of several."""
    counts: ResultCounts
    table: Sequence[Standing]
    """All engines from first to last, including those without a game."""
    crosstable: Crosstable
    strength: Strength | None
    """None for the total of several games, and where nothing can be rated."""
    statistics_by_name: Mapping[str, EngineStatistics]
    """The statistics of each engine; empty if unknown."""
    tests: Sequence[PairTest]
    """The sequential tests that were asked for."""

    @property
    def order(self) -> list[str]:
        """The engines from first to last."""
        return [row.name for row in self.table]

    @property
    def superiorities(self) -> list[float | None]:
        """For each row, the probability that its engine is stronger than the next one."""
        if self.strength is None:
            return [None] * len(self.table)
        return [*(self.strength.superiority(*pair) for pair in pairwise(self.order)), None]

    def first(self, engines: int) -> GameSummary:
        """Return the summary with only the first engines in the tables."""
        return replace(self, table=self.table[:engines])

    @property
    def has_draws(self) -> bool:
        """Whether a game was drawn."""
        return any(row.draws for row in self.table)


def game_summaries(
    engines: Sequence[str],
    played: Sequence[PlayedGame],
    statistics_by_title: StatisticsByTitle | None = None,
    question: Question | None = None,
    unfinished: Sequence[ScheduledGame] = (),
    *,
    by_elo: bool = False,
) -> list[GameSummary]:
    """Return a summary of each game in the order of first appearance, then of the total of several.

    `statistics_by_title` holds each engine's statistics by the title of the game and by its name,
    if known. With a `question`, every two engines are tested; `unfinished` games, which began and
    have no result, delay the test. With `by_elo`, engines are in the order of ratings, for events
    in which they play different numbers of games.
    """
    by_game: dict[Game, list[PlayedGame]] = {}
    for game in played:
        by_game.setdefault(game.scheduled.game, []).append(game)
    counts = {kind: ResultCounts(games) for kind, games in by_game.items()}
    tests = {
        kind: sequential_tests(
            engines, games, question, [game for game in unfinished if game.game == kind]
        )
        for kind, games in by_game.items()
        if question
    }
    return summaries_of_counts(engines, counts, statistics_by_title, tests, by_elo=by_elo)


def summaries_of_counts(
    engines: Sequence[str],
    counts: Mapping[Game, ResultCounts],
    statistics_by_title: StatisticsByTitle | None,
    tests: Mapping[Game, Sequence[PairTest]],
    *,
    by_elo: bool = False,
) -> list[GameSummary]:
    """Return what `game_summaries` does, from the counts and the tests of each game."""
    idle = {name: EngineStatistics() for name in engines}
    found = []
    for kind, own in counts.items():
        known = {}
        if statistics_by_title is not None:
            known = {**idle, **statistics_by_title.get(str(kind), {})}
        summary = game_summary(engines, kind, own, by_elo=by_elo)
        found.append(replace(summary, statistics_by_name=known, tests=tests.get(kind, ())))
    if len(found) > 1:
        found.append(_total(engines, ResultCounts.sum_of(counts.values()), found))
    return found


def distinct_games(summaries: Sequence[GameSummary]) -> int:
    """Return the number of games in these summaries, without totals and copies."""
    return sum(each.counts.distinct_games for each in summaries if each.game is not None)


def game_summary(
    engines: Sequence[str], game: Game, counts: ResultCounts, *, by_elo: bool = False
) -> GameSummary:
    """Return the summary of one game from its counts alone, without statistics and tests."""
    strength = strength_of(engines, counts)
    table, scores = standings_and_crosstable(engines, counts)
    if by_elo and strength is not None:
        table = _ranked_by_elo(table, strength)
    return GameSummary(str(game), game, counts, table, scores, strength, {}, [])


def _total(
    engines: Sequence[str], counts: ResultCounts, parts: Sequence[GameSummary]
) -> GameSummary:
    statistics = merged(part.statistics_by_name for part in parts)
    table, scores = standings_and_crosstable(engines, counts)
    return GameSummary(TOTAL, None, counts, table, scores, None, statistics, [])


def _ranked_by_elo(table: Sequence[Standing], strength: Strength) -> list[Standing]:
    """Return the standings in the order of ratings; engines without a game come last."""
    ranks = {number: rank for rank, number in enumerate(strength.ratings.order(), start=1)}
    ranked = (replace(row, rank=ranks[strength.place[row.name]]) for row in table)
    return sorted(ranked, key=lambda row: row.rank)
