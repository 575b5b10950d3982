"""Progress of a run on standard error: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.text.line_writer import LineWriter
from oddly.interfaces.text.progress import RemainingTime, has_screen
from oddly.interfaces.text.tables import game_line, points_text
from oddly.tournaments import Observer

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.referee import GameRecord
    from oddly.tournaments import PlayedGame, RunStart


STEPS = 10
"""The number of lines for a run that shows only the score."""


class PlainProgress(Observer):
    """One line for each finished game, and for each message about the run.

    Once a minute, a line says how long the rest will take, if the number of games is known.
    """

    games: int | None = None

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lines = LineWriter("stderr")
        self._earlier = self._ended = 0
        self._remaining = RemainingTime(clock)

    def start(self, start: RunStart) -> None:
        """Note the number of games."""
        self.games, self._earlier = start.games, len(start.earlier)
        start.control.listen(self.said)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print the game's line."""
        self.said(game_line(played, self.games))
        self._ended += 1
        done = self._earlier + self._ended
        if self.games and (estimate := self._remaining.after_step(self.games - done)):
            self.said(f"{done} of {counted(self.games, 'game')}, {estimate}")

    def said(self, what: str) -> None:
        """Print the message."""
        self._lines.write(what)

    def finish(self) -> None:
        """Let the last lines be written before what follows."""
        self._lines.flush()


class QuietProgress(PlainProgress):
    """Prints messages about the run, such as a full disk, but no games."""

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print nothing."""


class ScoreProgress(PlainProgress):
    """Ten lines during the run, each with the points of all engines so far."""

    def __init__(self) -> None:
        super().__init__()
        self._points: dict[str, float] = {}

    def start(self, start: RunStart) -> None:
        """Count the points of earlier runs too."""
        super().start(start)
        self._points = dict.fromkeys(start.engines, 0.0)
        for played in start.earlier:
            self._count(played)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print the points with each tenth of the games."""
        self._count(played)
        self._ended += 1
        done, games = self._earlier + self._ended, self.games or 0
        if games and done * STEPS // games > (done - 1) * STEPS // games:
            points = "  ".join(
                f"{one_line(name)} {points_text(points)}" for name, points in self._points.items()
            )
            self.said(f"{done:>{len(str(games))}} of {counted(games, 'game')}, points: {points}")

    def finish(self) -> None:
        """Leave a line between the points and what follows."""
        self.said("")
        super().finish()

    def _count(self, played: PlayedGame) -> None:
        players = played.scheduled.first, played.scheduled.second
        for name, points in zip(players, played.points, strict=True):
            self._points[name] = self._points.get(name, 0.0) + points


def progress(*, quiet: bool = False) -> Observer:
    """Return the observer that suits the destination of standard error."""
    if quiet:
        return QuietProgress()
    if not has_screen():
        return PlainProgress()
    from oddly.interfaces.terminal.live.screen import LiveProgress

    return LiveProgress()
