"""What an event comes to: a chapter for each game that was played, and one for the total.

Ratings are of one game: who is strong at Yodd need not be at Ayu. The total has points only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tournaments.results.engine_statistics import EngineStatistics, merged
from tournaments.results.sequential import PairTest, Question, sequential_tests
from tournaments.results.standings import Standing, standings
from tournaments.results.strength import Strength, strength_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.game import Game
    from tournaments.results.standings import PlayedGame

TOTAL = "all games"

RANKED_BY_ELO = {"gauntlet", "rating-pool"}
"""The formats in which engines play unequally many games by design, so that points tell little."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """What one game, or the total of several, comes to."""

    title: str
    played: Sequence[PlayedGame]
    table: Sequence[Standing]
    strength: Strength | None
    """None for a total over several games, and where nothing can be rated."""
    statistics_by_name: Mapping[str, EngineStatistics]
    tests: Sequence[PairTest]

    @property
    def order(self) -> list[str]:
        """The engines from first to last."""
        return [row.name for row in self.table]


def chapters(
    engines: Sequence[str],
    played: Sequence[PlayedGame],
    statistics_by_name: Mapping[str, Mapping[str, EngineStatistics]] | None = None,
    question: Question | None = None,
    *,
    by_elo: bool = False,
) -> list[Chapter]:
    """A chapter for each game in the order of its first appearance, then a total if there are more.

    `statistics_by_name` holds each engine's statistics in `played`, by title and engine, if known.
    With a `question`, every two engines are tested. With `by_elo`, the stronger engine stands above
    the one with more points: for events in which engines play unequally many games.
    """
    by_game: dict[Game, list[PlayedGame]] = {}
    for game in played:
        by_game.setdefault(game.scheduled.game, []).append(game)
    idle = {name: EngineStatistics() for name in engines}
    found = []
    for kind, games in by_game.items():
        title = str(kind)
        strength = strength_of(engines, games)
        table = standings(engines, games)
        if by_elo and strength is not None:
            table = ranked_by_elo(table, strength)
        tests = sequential_tests(engines, games, question) if question else []
        own = {**idle, **statistics_by_name.get(title, {})} if statistics_by_name else {}
        found.append(Chapter(title, games, table, strength, own, tests))
    if len(by_game) > 1:
        total = {**idle, **merged(statistics_by_name.values())} if statistics_by_name else {}
        found.append(Chapter(TOTAL, played, standings(engines, played), None, total, []))
    return found


def ranked_by_elo(table: Sequence[Standing], strength: Strength) -> list[Standing]:
    """The standings in the order of ratings; engines without a game come last."""
    order = sorted(table, key=lambda row: (not row.games, -round(strength.elo(row.name), 6)))
    return [replace(row, rank=place) for place, row in enumerate(order, start=1)]
