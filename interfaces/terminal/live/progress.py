"""Progress of a run on standard error: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from interfaces.text.game_line import game_line
from tournaments.observer import Observer

if TYPE_CHECKING:
    from referee.record import GameRecord
    from tournaments.observer import RunStart
    from tournaments.results.played_game import PlayedGame


class PlainProgress(Observer):
    """One line for each finished game, and for what is said about the run."""

    games: int | None = None

    def start(self, start: RunStart) -> None:
        """Take note of the number of games."""
        self.games = start.games
        start.control.listen(self.said)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print the game's line."""
        print(game_line(played, self.games), file=sys.stderr, flush=True)

    def said(self, what: str) -> None:
        """Print it."""
        print(what, file=sys.stderr, flush=True)


def progress() -> Observer:
    """Return the observer that suits where standard error goes."""
    if not has_screen():
        return PlainProgress()
    from interfaces.terminal.live.screen import LiveProgress

    return LiveProgress()


def has_screen() -> bool:
    """Whether standard error is a terminal that this process may draw on.

    The shell would stop a background job that changes the mode of the terminal.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return False
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except OSError:
        return False
