"""Summaries of the results of an event: one for each game, and one for the total.

This is the only model of results. Text tables, JSON, the HTML report, the live view and the web
page show its values and compute none of their own.

Ratings are of one game: an engine that is strong at Yodd need not be strong at Ayu. The total has
points only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.tournaments.results.counts import EngineStatistics, ResultCounts, merged
from oddly.tournaments.results.sequential import PairTest, Question, sequential_tests
from oddly.tournaments.results.standings import (
    Crosstable,
    Standing,
    Strength,
    standings_and_crosstable,
    strength_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games import Game
    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame

    StatisticsByTitle = Mapping[str, Mapping[str, EngineStatistics]]

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
    order = sorted(table, key=lambda row: (not row.games, -round(strength.elo(row.name), 6)))
    return [replace(row, rank=place) for place, row in enumerate(order, start=1)]
