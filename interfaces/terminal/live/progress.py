"""Progress of a run on standard error: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from interfaces.text.game_line import game_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from interfaces.terminal.live.screen import LiveProgress
    from referee.record import GameRecord
    from referee.snapshot import Snapshot
    from tournaments.control import Control
    from tournaments.results.played_game import PlayedGame
    from tournaments.results.sequential import Question
    from tournaments.schedule import ScheduledGame


class PlainProgress:
    """One line for each finished game and each message about the run."""

    watch: Callable[[ScheduledGame, Snapshot], None] | None = None
    """Nobody looks on."""

    def __init__(self, games: int | None, control: Control) -> None:
        self.games = games
        control.listen(self.said)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    async def attend(self) -> None:
        """Do nothing between games."""

    def began(self, scheduled: ScheduledGame) -> None:
        """Say nothing."""

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Print the game's line."""
        print(game_line(played, self.games), file=sys.stderr, flush=True)

    def said(self, what: str) -> None:
        """Print it."""
        print(what, file=sys.stderr, flush=True)


def progress(
    title: str,
    games: int | None,
    engines: Sequence[str],
    control: Control,
    earlier: Sequence[PlayedGame] = (),
    *,
    by_elo: bool = False,
    question: Question | None = None,
) -> LiveProgress | PlainProgress:
    """Return the observer that suits standard error. Earlier runs played the games of `earlier`."""
    if not has_screen():
        return PlainProgress(games, control)
    from interfaces.terminal.live.screen import LiveProgress

    return LiveProgress(title, games, engines, control, earlier, by_elo=by_elo, question=question)


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
