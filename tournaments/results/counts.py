"""Counts of the results of one game, and statistics of its engines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.tournaments.ratings.clusters import Cluster, ClusterCounts
from oddly.tournaments.results.schedule import PlayedGame, Repeats, cluster_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import GameRecord, Outcome, Termination
    from oddly.tournaments.ratings.ordered_pairs import Row


Result = tuple[str, str, int | None, bool]
"""First player, second player, the winner among them (None for a draw), and whether by forfeit."""

WINNER_BY_WORD: dict[str, int | None] = {"first": 0, "second": 1, "draw": None}
"""The winner's number among the two players, by its word in files; None for a draw."""


class ResultCounts:
    """Counts that grow game by game. Even a million games have few different results."""

    def __init__(self, played: Iterable[PlayedGame] = ()) -> None:
        self.results: Counter[Result] = Counter()
        """Void games have no result and are left out."""
        self.distinct: Counter[Row] = Counter()
        """The games that are not copies of earlier ones, however they ended."""
        self.repeats: Counter[Cluster] = Counter()
        """The openings that two engines played repeatedly, see `ratings/clusters.py`."""
        self.void = 0
        self.endings: Counter[str] = Counter()
        """How the games that count ended, by the values of `Termination`."""
        self.lengths: Counter[int] = Counter()
        """The lengths, in turns, of the games that no fault ended."""
        self._repeats = Repeats()
        self._clusters: dict[Game, ClusterCounts] = {}
        # A million games share few outcomes, and each is examined once.
        outcomes: dict[int, Outcome] = {}
        numbers: Counter[tuple[str, str, int]] = Counter()
        copies: Counter[tuple[str, str, int]] = Counter()
        is_new = self._repeats.is_new
        for game in played:
            outcome = game.outcome
            outcomes[id(outcome)] = outcome
            key = game.scheduled.first, game.scheduled.second, id(outcome)
            numbers[key] += 1
            self._add_cluster(game)
            if not is_new(game):
                copies[key] += 1
        for key, number in numbers.items():
            self._add(*key[:2], outcomes[key[2]], number, number - copies[key])

    def add(self, played: PlayedGame) -> None:
        """Count a game."""
        first, second = played.scheduled.first, played.scheduled.second
        self._add(first, second, played.outcome, 1, int(self._repeats.is_new(played)))
        self._add_cluster(played)

    def _add_cluster(self, played: PlayedGame) -> None:
        cluster, scheduled = cluster_of(played), played.scheduled
        if cluster is None or played.outcome.is_void:
            return
        if (counts := self._clusters.get(scheduled.game)) is None:
            counts = self._clusters[scheduled.game] = ClusterCounts(self.repeats)
        counts.add(scheduled.first, scheduled.second, played.outcome.winner, cluster)

    def add_results(self, result: Result, termination: Termination, number: int) -> None:
        """Count games with one result, without their lengths and copies."""
        self.results[result] += number
        self.endings[termination.value] += number

    def _add(self, first: str, second: str, outcome: Outcome, number: int, distinct: int) -> None:
        if outcome.is_void:
            self.void += number
            return
        result = first, second, outcome.winner, outcome.is_forfeit
        self.add_results(result, outcome.termination, number)
        self.distinct[first, second, winner_word(outcome.winner)] += distinct
        if not outcome.is_forfeit:
            self.lengths[outcome.turns] += number

    @classmethod
    def sum_of(cls, parts: Iterable[ResultCounts]) -> ResultCounts:
        """Return the counts of several games together."""
        total = cls()
        for part in parts:
            total.results.update(part.results)
            total.distinct.update(part.distinct)
            total.repeats.update(part.repeats)
            total.void += part.void
            total.endings.update(part.endings)
            total.lengths.update(part.lengths)
        return total

    def copy(self) -> ResultCounts:
        """Return a copy that does not change with these counts."""
        return ResultCounts.sum_of([self])

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.results.total()

    @property
    def distinct_games(self) -> int:
        """The number of games that count and are not copies of earlier ones."""
        return self.distinct.total()

    @property
    def first_score(self) -> float | None:
        """Points per game of all first players together; None without a game."""
        points = sum(
            (0.5 if winner is None else 1.0 - winner) * number
            for (_, _, winner, _), number in self.results.items()
        )
        return points / self.games if self.games else None

    @property
    def rows(self) -> dict[Row, int]:
        """How often each combination of first player, second player and winner occurred."""
        rows: Counter[Row] = Counter()
        for (first, second, winner, _), number in self.results.items():
            rows[first, second, winner_word(winner)] += number
        return dict(rows)


def winner_word(winner: int | None) -> str:
    """Return `first`, `second` or `draw` for the winner's number among the two players."""
    return "draw" if winner is None else ("first", "second")[winner]


@dataclass(slots=True)
class EngineStatistics:
    """The sums over one engine's games. All times are in seconds.

    `turns` and `seconds` count its own turns, without the opening. `lag` is the longest delay of
    the referee in its games, and `marked` the number of games with a notable delay.
    """

    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    lag: float = 0.0
    marked: int = 0
    faults: Counter[Termination] = field(default_factory=Counter)
    """The games that it lost through its own fault, by what ended them."""
    deaths: int = 0
    """How often it exited between games."""

    @property
    def seconds_a_turn(self) -> float | None:
        """The mean time of a turn; None without a turn."""
        return self.seconds / self.turns if self.turns else None

    def add(self, other: EngineStatistics) -> None:
        """Add other games of the same engine."""
        self.games += other.games
        self.turns += other.turns
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.lag = max(self.lag, other.lag)
        self.marked += other.marked
        self.faults.update(other.faults)
        self.deaths += other.deaths


def statistics_of(
    engines: Sequence[str], records: Iterable[GameRecord]
) -> dict[str, EngineStatistics]:
    """Return the statistics of `engines` in these games, in which no others played."""
    statistics_by_name = {name: EngineStatistics() for name in engines}
    for record in records:
        for player, name in enumerate(record.players):
            statistics_by_name[name].add(statistics_in(record, player))
    return statistics_by_name


def kinds_of_faults(statistics_by_name: Iterable[EngineStatistics]) -> list[Termination]:
    """Return the faults that occurred, the most frequent first."""
    total: Counter[Termination] = Counter()
    for statistics in statistics_by_name:
        total.update(statistics.faults)
    return [kind for kind, _ in total.most_common()]


def statistics_in(record: GameRecord, player: int) -> EngineStatistics:
    """Return how the first player (0) or the second (1) behaved in a game."""
    outcome = record.outcome
    # Players take turns throughout: a swap exchanges their colours, not their order.
    own = record.turns[player::2]
    played_for = (record.opening + 1 - player) // 2
    times = [turn.seconds for turn in own[played_for:]]
    statistics = EngineStatistics(
        1, len(times), sum(times), max(times, default=0.0), outcome.lag, int(outcome.is_marked)
    )
    statistics.deaths = int(bool(record.deaths[player]))
    if outcome.is_forfeit and outcome.winner == 1 - player:
        statistics.faults[outcome.termination] += 1
    return statistics


def merged(parts: Iterable[Mapping[str, EngineStatistics]]) -> dict[str, EngineStatistics]:
    """Return every engine's statistics in several games together."""
    total: dict[str, EngineStatistics] = {}
    for part in parts:
        for name, statistics in part.items():
            total.setdefault(name, EngineStatistics()).add(statistics)
    return total
