"""How a run writes down the games that have ended: in its ledger first, then for every observer.

A game that is not recorded counts nowhere.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

from oddly.referee import Termination
from oddly.referee.justice.outcome import failure_text
from oddly.tournaments.ledger.schema import damaged
from oddly.tournaments.results.schedule import (
    PlayedGame,
    ScheduledGame,
    turns_digest,
)
from oddly.tournaments.run.observer import Observer, RunStart, UnkeptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.referee import GameRecord
    from oddly.tournaments.ledger.store import Ledger
    from oddly.tournaments.run.control import Control

    Kept = Callable[[PlayedGame, GameRecord], None]


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
        except Exception as error:
            # Unlike a full disk, this is permanent.
            if isinstance(error, sqlite3.Error):
                self.failure = str(damaged(self._ledger.path, str(error)))
            else:
                self.failure = f"cannot write {self._ledger.path}: {failure_text(error)}"
            if self._control is not None and not self._control.stopping:
                self._control.stop()
            raise UnkeptError(self.failure) from None


RETRY_PAUSE = 1.0
"""Seconds before writing is tried again."""


class RecordQueue:
    """Passes each ended game to the observers, then to `kept`, in the order of their ends."""

    def __init__(self, observers: Observer, control: Control, kept: Kept) -> None:
        self._observers = observers
        self._control = control
        self._kept = kept
        self.unkept: list[tuple[PlayedGame, GameRecord]] = []
        """The games that ended and are not recorded yet."""

    async def announce(self, scheduled: ScheduledGame) -> bool:
        """Record that a game begins, as soon as possible; return False if the run is stopped."""
        while True:
            try:
                self._observers.began(scheduled)
            except UnkeptError as error:
                self._control.hold(str(error))
            else:
                if not self.unkept:
                    self._control.release()
                return True
            await trio.sleep(RETRY_PAUSE)
            if self._control.stopping:
                return False

    def keep(self, scheduled: ScheduledGame, record: GameRecord) -> None:
        """Record a game, now or later."""
        played = PlayedGame(scheduled, record.outcome, turns_digest(record))
        self.unkept.append((played, record))
        if not self._control.held:
            self.try_again()

    async def until_kept(self) -> None:
        """Wait until every game that ended is recorded, or the run is stopped."""
        while self.unkept and not self._control.stopping:
            await trio.sleep(RETRY_PAUSE)
            self.try_again()

    def try_again(self) -> None:
        """Record as many of the waiting games as possible."""
        while self.unkept:
            played, record = self.unkept[0]
            try:
                self._observers.ended(played, record)
            except UnkeptError as error:
                self._control.hold(str(error))
                return
            del self.unkept[0]
            self._kept(played, record)
        self._control.release()

    def last_words(self) -> str:
        """Return a sentence on games that were never recorded; empty without any."""
        if not (number := len(self.unkept)):
            return ""
        games = "a game that ended was" if number == 1 else f"{number} games that ended were"
        return f"{games} not recorded; the same command plays them again"
