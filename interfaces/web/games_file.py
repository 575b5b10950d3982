"""The finished games of the page, in a ledger of their own."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from oddly.safe_files.sqlite_file import UnusableFileError
from oddly.tournaments import Ledger, ScheduledGame
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from oddly.referee import GameRecord


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
