"""What a view shows at one moment: values that nobody changes any more."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tournaments.results.game_summary import game_summary
from tournaments.results.sequential import sequential_tests

if TYPE_CHECKING:
    from games.game import Game
    from referee.snapshot import Snapshot
    from tournaments.results.game_summary import GameSummary
    from tournaments.results.played_game import PlayedGame
    from tournaments.results.result_counts import ResultCounts
    from tournaments.results.sequential import PairTest, Question
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


@dataclass(frozen=True)
class GameResults:
    """The results of one game so far, which are summed up only when they are drawn."""

    game: Game
    engines: tuple[str, ...]
    counts: ResultCounts
    by_elo: bool = False
    """Whether engines are in the order of ratings."""
    question: Question | None = None
    """What is tested, if anything."""
    played: tuple[PlayedGame, ...] = ()
    """The games that the test goes by."""
    running: tuple[ScheduledGame, ...] = ()
    """Those that hold it up."""

    @property
    def title(self) -> str:
        """The game, as in tables."""
        return str(self.game)

    @cached_property
    def summary(self) -> GameSummary:
        """What the results come to."""
        return game_summary(self.engines, self.game, self.counts, by_elo=self.by_elo)

    @cached_property
    def tests(self) -> list[PairTest]:
        """Where the sequential tests stand."""
        if self.question is None:
            return []
        return sequential_tests(self.engines, self.played, self.question, self.running)


@dataclass(frozen=True, slots=True)
class RunSnapshot:
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
    results: GameResults | None = None
    """The results of the game that standings are shown of."""
    games_with_results: int = 1
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
