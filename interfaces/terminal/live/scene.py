"""What a view shows at one moment: values that nobody changes any more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tournaments.results.strength import strength_by_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.snapshot import Snapshot
    from tournaments.ratings.results import Row
    from tournaments.schedule import ScheduledGame


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that has begun and not ended. Moments are in seconds of one clock."""

    scheduled: ScheduledGame
    began: float
    snapshot: Snapshot | None = None
    """Just after its last turn; None before its first, and where nobody looks on."""
    last_turn: float = 0.0
    """The moment of that."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """An engine at one game so far."""

    name: str
    elo: float
    error_95: float
    games: int
    points: float
    forfeits: int


@dataclass(frozen=True)
class Tally:
    """The results of one game so far."""

    title: str
    engines: tuple[str, ...]
    counts: Mapping[Row, int]
    """How often each (first player, second player, winner) occurred."""
    forfeits: Mapping[str, int]

    @cached_property
    def rows(self) -> tuple[StandingRow, ...]:
        """The engines, the strongest first; without a game, as they were entered."""
        strength = strength_by_counts(self.engines, self.counts)
        games: Counter[str] = Counter()
        points: Counter[str] = Counter()
        for (first, second, winner), count in self.counts.items():
            games[first] += count
            games[second] += count
            # Twice the points, which are whole.
            points[first] += count * {"first": 2, "draw": 1}.get(winner, 0)
            points[second] += count * {"second": 2, "draw": 1}.get(winner, 0)
        rows = [
            StandingRow(
                name,
                strength.elo(name) if strength else 0.0,
                strength.error_95(name) if strength else 0.0,
                games[name],
                points[name] / 2,
                self.forfeits.get(name, 0),
            )
            for name in self.engines
        ]
        return tuple(sorted(rows, key=lambda row: (not row.games, -round(row.elo, 6))))


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a view shows. Moments are in seconds of one clock, `now` among them."""

    title: str
    games: int | None
    """How many there are in all; None if nobody knows."""
    played: int
    """Those of earlier runs included."""
    began: float
    """The moment in which this run began."""
    now: float
    running: tuple[RunningGame, ...] = ()
    tally: Tally | None = None
    """The results of the game that standings are shown of."""
    tallies: int = 1
    """How many different games have results."""
    news: tuple[str, ...] = ()
    """Lines about the last games that ended, the newest last."""
    faults: int = 0
    """Forfeited and void games."""
    mean_seconds: float | None = None
    """Of a game in this run; None before the first has ended."""
    at_once: int = 1
    paused: bool = False
    stopping: bool = False
    said: str = ""
    """What was said last about the run itself."""
    helping: bool = False
    """Whether the keys are explained."""
    has_keys: bool = True
    """Whether anybody listens to keys."""

    @property
    def seconds_left(self) -> float | None:
        """How long the games that are left will take, by the mean of this run; None if unknown."""
        if self.games is None or self.mean_seconds is None:
            return None
        gone = sum(min(self.now - game.began, self.mean_seconds) for game in self.running)
        rest = (self.games - self.played) * self.mean_seconds - gone
        return max(0.0, rest) / max(1, min(self.at_once, self.games - self.played))
