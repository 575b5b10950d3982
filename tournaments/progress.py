"""Telling on standard error how a run goes: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tournaments.tables import points_text, shown

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress

    from referee.record import GameRecord
    from tournaments.schedule import ScheduledGame
    from tournaments.standings import PlayedGame


def game_line(played: PlayedGame, games: int | None) -> str:
    """A finished game on one line."""
    scheduled, outcome = played.scheduled, played.outcome
    number = (
        str(scheduled.number) if games is None else f"{scheduled.number:>{len(str(games))}}/{games}"
    )
    first, second = played.points
    points = "void" if outcome.is_void else f"{points_text(first)}-{points_text(second)}"
    turns = f"{outcome.turns} turn{'s' if outcome.turns != 1 else ''}"
    line = (
        f"{number}  {scheduled.game}  {shown(scheduled.first)} - {shown(scheduled.second)}  "
        f"{points}  {outcome.score}  {outcome.termination.value}, {turns}"
    )
    if outcome.is_forfeit or outcome.is_void:
        line += f"  ({shown(outcome.reason)})"
    if outcome.is_marked:
        line += f"  [the referee was {outcome.lag:.3f} s late]"
    return line


STOPPING = "stopping: running games are played to their end; Ctrl-C once more stops at once"


class PlainProgress:
    """One line for each finished game."""

    def __init__(self, games: int | None) -> None:
        self.games = games

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def began(self, scheduled: ScheduledGame) -> None:
        """Say nothing."""

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print the game's line."""
        print(game_line(played, self.games), file=sys.stderr, flush=True)

    def stopping(self) -> None:
        """Say that the end is near."""
        print(STOPPING, file=sys.stderr, flush=True)


class LiveProgress:
    """A bar with the running games, time gone and time to go; forfeits are printed above it."""

    def __init__(self, games: int | None, played: int = 0) -> None:
        self.games = games
        self.running: dict[int, ScheduledGame] = {}
        self.forfeits = 0
        self.bar = _bar()
        self.task = self.bar.add_task("", total=games, completed=played, running="", forfeits="")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def began(self, scheduled: ScheduledGame) -> None:
        """Show the game among the running ones."""
        self.running[scheduled.number] = scheduled
        self._show()

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Move the bar on."""
        self.running.pop(played.scheduled.number)
        if played.outcome.is_forfeit or played.outcome.is_void:
            self.forfeits += 1
            line = game_line(played, self.games)
            self.bar.console.print(line, markup=False, highlight=False)
        self.bar.advance(self.task)
        self._show()

    def stopping(self) -> None:
        """Say that the end is near."""
        self.bar.console.print(STOPPING, markup=False, highlight=False)

    def _show(self) -> None:
        running = [
            f"{game.game}: {shown(game.first)} - {shown(game.second)}"
            for game in self.running.values()
        ]
        forfeits = f"{self.forfeits} forfeit{'s' if self.forfeits != 1 else ''}"
        self.bar.update(
            self.task, running="; ".join(running), forfeits=forfeits if self.forfeits else ""
        )


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    return Progress(
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[forfeits]}", style="red"),
        TextColumn(
            "{task.fields[running]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        console=Console(stderr=True),
        expand=True,
        transient=True,
    )


def progress(games: int | None, played: int = 0) -> LiveProgress | PlainProgress:
    """The one that suits where standard error goes; `played` of the games were played earlier."""
    return LiveProgress(games, played) if sys.stderr.isatty() else PlainProgress(games)
