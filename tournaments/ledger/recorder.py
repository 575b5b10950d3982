"""Writing games to the ledger as they end."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oddly.referee.justice.outcome import Termination
from oddly.tournaments.ledger.schema import damaged
from oddly.tournaments.observer import Observer, UnkeptError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.control import Control
    from oddly.tournaments.ledger.store import Ledger
    from oddly.tournaments.observer import RunStart
    from oddly.tournaments.results.played_game import PlayedGame
    from oddly.tournaments.schedule import ScheduledGame


class LedgerRecorder(Observer):
    """The first observer of a run with a ledger: the others hear only of what is on the disk.

    If the ledger is found to be damaged, `failure` says so, and the run is stopped.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._control: Control | None = None

    def start(self, start: RunStart) -> None:
        """Remember the control that stops the run."""
        self._control = start.control

    def began(self, scheduled: ScheduledGame) -> None:
        """Write that the game begins. Raises UnkeptError if that fails, as on a full disk."""
        with self._writing():
            self._ledger.announce(scheduled)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game, unless an engine was absent from it. Raises UnkeptError if that fails."""
        if record.outcome.termination is Termination.ABSENT:
            # It is played later.
            return
        with self._writing():
            self._ledger.add(played.scheduled.id, record, played.scheduled)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            self._ledger.shorten_log()
            raise UnkeptError(f"cannot write {self._ledger.path}: {error}") from None
        except sqlite3.Error as error:
            # Unlike a full disk, this is permanent.
            self.failure = str(damaged(self._ledger.path, str(error)))
            if self._control is not None and not self._control.stopping:
                self._control.stop()
            raise UnkeptError(self.failure) from None
