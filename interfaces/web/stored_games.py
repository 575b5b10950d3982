"""What is stored of a game on the page: its state while it runs, and then a row in a ledger.

The state is its turns, their times, and the half-done turn. The ledger has only finished games.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from oddly.games import Colour, Game, IllegalTurn
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.protocol import NotationError, TurnEvaluation, parse_turn
from oddly.safe_files.sqlite_file import UnusableFileError
from oddly.tournaments import Ledger, ScheduledGame
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from oddly.referee import GameRecord


Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=16)]
Name = Annotated[str, Field(max_length=24)]


class StoredState(BaseModel):
    """What changes in a game. `drops` and `origin` belong to the half-done turn."""

    model_config = ConfigDict(strict=True, extra="forbid")

    turns: list[Text] = []
    seconds: list[float] = []
    drops: list[Text] = []
    origin: Text | None = None
    resigned: Text | None = None
    on_time: bool = False
    agreed: bool = False
    names: tuple[Name, Name] | None = None
    """The names of the players, if they have changed since the game was opened."""
    expected: list[Share | None] = []
    """How often the player of each turn expected to win; empty if nobody said so."""
    rematch: Annotated[str, Field(max_length=64)] = ""
    """The id of the game that follows; empty if there is none."""
    draw_offer: Annotated[int, Field(ge=0, le=1)] | None = None
    """The seat that offers a draw."""
    began: float | None = None
    """When the turn to come began, as the store counts time; older versions did not say so."""

    @classmethod
    def of(
        cls,
        current: GameInProgress,
        seconds: Sequence[float],
        names: tuple[str, str] | None = None,
        rematch: str = "",
        evaluations: Sequence[TurnEvaluation | None] = (),
        draw_offer: int | None = None,
        began: float | None = None,
    ) -> StoredState:
        """Return the state of a game whose turns took these seconds."""
        return cls(
            turns=[str(turn) for turn in current.turns],
            seconds=[round(spent, 3) for spent in seconds],
            drops=[str(drop) for drop in current.partial.drops],
            origin=current.partial.origin,
            resigned=None if current.resigned is None else str(current.resigned),
            on_time=current.on_time,
            agreed=current.agreed,
            names=names,
            expected=[None if each is None else round(each.win_rate, 3) for each in evaluations],
            rematch=rematch,
            draw_offer=draw_offer,
            began=None if began is None else round(began, 3),
        )

    def restored(self, game: Game) -> GameInProgress:
        """Return the game. Raises IllegalTurn or NotationError for turns that are not legal."""
        current = GameInProgress.of(game)
        for text in self.turns:
            current = current.play(parse_turn(text))
        if current.is_over:
            return current
        if self.resigned is not None:
            side = next((side for side in Colour if str(side) == self.resigned), None)
            return current.resign(side, on_time=self.on_time)
        if self.agreed:
            return current.agree_on_a_draw()
        try:
            return current.with_turn_begun(() if self.origin else self.drops, self.origin)
        except (IllegalTurn, NotationError):
            # An impossible half-done turn is left out.
            return current

    def evaluations(self) -> list[TurnEvaluation | None]:
        """Return the player's evaluation of each turn; None where unknown."""
        missing = len(self.turns) - len(self.expected)
        known = [*self.expected[: len(self.turns)], *[None] * missing]
        return [None if rate is None else TurnEvaluation(rate) for rate in known]

    def times(self) -> list[float]:
        """Return the seconds of each turn."""
        missing = len(self.turns) - len(self.seconds)
        return [*self.seconds[: len(self.turns)], *[0.0] * missing]


class GamesFile:
    """An open ledger for games that people play. Opening it raises UnusableFileError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why the last game was not recorded; empty if it was."""
        self._ledger = Ledger(path)
        self._engines: dict[str, Any] = (self._ledger.event() or {}).get("engines", {})
        self._begin(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ledger.__exit__(kind, error, trace)

    def keep(self, name: str, record: GameRecord) -> None:
        """Record a game, or set `failure`."""
        first, second = record.players
        scheduled = ScheduledGame(0, record.game, 0, first, second, 0, name)
        try:
            if not {first, second} <= self._engines.keys():
                self._begin((first, second))
            self._ledger.announce(scheduled)
            self._ledger.add(name, record)
            self.failure = ""
        except (sqlite3.Error, UnusableFileError) as error:
            self.failure = f"the game was not kept: cannot write {self.path}: {error}"

    def _begin(self, players: Sequence[str]) -> None:
        """Begin or resume the event with these players added. Raises UnusableFileError."""
        unknown = {"command": [], "time": "none", "options": {}}
        self._engines |= {name: unknown for name in players if name not in self._engines}
        self._ledger.begin(
            {
                "name": "games on the page",
                "format": FREE,
                "seed": 0,
                "rounds": 1,
                "games": [],
                "engines": self._engines,
            }
        )
