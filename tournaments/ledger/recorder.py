"""Writing games to the ledger as they end."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from tournaments.observer import Observer

if TYPE_CHECKING:
    from referee.record import GameRecord
    from tournaments.ledger.store import Ledger
    from tournaments.results.played_game import PlayedGame
    from tournaments.schedule import ScheduledGame


class LedgerRecorder(Observer):
    """The first observer of a run with a ledger: what the others hear of is on the disk.

    If that fails (a full disk), `failure` says why; the games go on, unwritten.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def began(self, scheduled: ScheduledGame) -> None:
        """Write that the game begins."""
        try:
            self._ledger.announce(scheduled)
        except sqlite3.Error as error:
            self.failure = f"cannot write {self._ledger.path}: {error}"

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game."""
        try:
            self._ledger.add(played.scheduled.id, record, played.scheduled)
        except sqlite3.Error as error:
            self.failure = f"cannot write {self._ledger.path}: {error}"
