"""The behaviour of engines: how long they think, their faults, and how late we are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.referee.justice.outcome import Termination
    from oddly.referee.justice.record import GameRecord


@dataclass(slots=True)
class EngineStatistics:
    """The sums over one engine's games. All times are in seconds.

    `turns` and `seconds` count its own turns, without the opening. `lag` is the most the referee
    was late in its games, and `marked` the number of games in which that was notable.
    """

    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    lag: float = 0.0
    marked: int = 0
    faults: Counter[Termination] = field(default_factory=Counter)
    """The games that it lost by a fault of its own, by what ended them."""
    deaths: int = 0
    """How often it exited between two games."""

    @property
    def seconds_a_turn(self) -> float | None:
        """The mean; None without a turn."""
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
    """Return every engine's statistics in these games, which have no other engines."""
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
