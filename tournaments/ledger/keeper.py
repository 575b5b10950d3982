"""Writing games to the ledger as they end."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.record import GameRecord
    from tournaments.ledger.store import Ledger
    from tournaments.results.played_game import PlayedGame
    from tournaments.runner import Observer
    from tournaments.schedule import ScheduledGame


class LedgerKeeper:
    """An observer that has each game on the disk before anybody else hears of it.

    If that fails (a full disk), `failure` says why; the games go on, unwritten.
    """

    def __init__(self, observer: Observer, ledger: Ledger) -> None:
        self._observer = observer
        self._ledger = ledger
        self.failure: str | None = None

    def began(self, scheduled: ScheduledGame) -> None:
        """Write that it begins, then tell the other observer."""
        try:
            self._ledger.announce(scheduled)
        except sqlite3.Error as error:
            self.failure = f"cannot write {self._ledger.path}: {error}"
        self._observer.began(scheduled)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game, then tell the other observer."""
        try:
            self._ledger.add(played.scheduled.id, record, played.scheduled)
        except sqlite3.Error as error:
            self.failure = f"cannot write {self._ledger.path}: {error}"
        self._observer.ended(played, record)
