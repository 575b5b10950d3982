"""A run at one moment, as immutable values for a view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from oddly.tournaments.results.game_summary import game_summary
from oddly.tournaments.results.sequential import sequential_tests

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.referee import Snapshot
    from oddly.tournaments import (
        GameSummary,
        PairTest,
        PlayedGame,
        Question,
        ResultCounts,
        ScheduledGame,
    )


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that has begun and not ended. Moments are seconds of one clock."""

    scheduled: ScheduledGame
    began: float
    snapshot: Snapshot | None = None
    """The game after its last turn; None before the first, and if nothing reports turns."""
    last_turn: float = 0.0
    """The moment of the last turn."""


@dataclass(frozen=True)
class GameResults:
    """The results of one game so far, summarised when they are first drawn."""

    game: Game
    engines: tuple[str, ...]
    counts: ResultCounts
    by_elo: bool = False
    """Whether engines are sorted by rating."""
    question: Question | None = None
    """The question of the sequential test, if there is one."""
    played: tuple[PlayedGame, ...] = ()
    """The games that the test counts."""
    running: tuple[ScheduledGame, ...] = ()
    """The running games that the test waits for."""

    @property
    def title(self) -> str:
        """The name of the game in tables."""
        return str(self.game)

    @cached_property
    def summary(self) -> GameSummary:
        """The standings and ratings of the results."""
        return game_summary(self.engines, self.game, self.counts, by_elo=self.by_elo)

    @cached_property
    def tests(self) -> list[PairTest]:
        """The states of the sequential tests."""
        if self.question is None:
            return []
        return sequential_tests(self.engines, self.played, self.question, self.running)


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """Everything that a view shows. Moments, such as `now`, are seconds of one clock."""

    title: str
    games: int | None
    """All games of the tournament; None if unknown."""
    played: int
    """Games played, those of earlier runs included."""
    began: float
    """The moment when this run began."""
    now: float
    running: tuple[RunningGame, ...] = ()
    results: GameResults | None = None
    """The results of the game whose standings are shown."""
    games_with_results: int = 1
    """The number of different games with results."""
    news: tuple[str, ...] = ()
    """Lines about the last finished games, the newest last."""
    faults: int = 0
    """Forfeited and void games."""
    mean_seconds: float | None = None
    """The mean time of a game of this run; None before the first has ended."""
    at_once: int = 1
    paused: bool = False
    stopping: bool = False
    said: str = ""
    """The last message about the run itself."""
    helping: bool = False
    """Whether the help for keys is shown."""
    has_keys: bool = True
    """Whether keys have an effect."""
    reporting: bool = False
    """Whether the report of the format takes the place of games and standings."""
    report: tuple[str, ...] = ()
    """The lines of a bracket or another report, a heading and an empty line first."""

    @property
    def seconds_left(self) -> float | None:
        """The time for the remaining games, by the mean so far; None if unknown."""
        if self.games is None or self.mean_seconds is None:
            return None
        gone = sum(min(self.now - game.began, self.mean_seconds) for game in self.running)
        rest = (self.games - self.played) * self.mean_seconds - gone
        return max(0.0, rest) / max(1, min(self.at_once, self.games - self.played))
