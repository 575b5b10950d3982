"""Recording the games of a run, and waiting while that is impossible, as on a full disk.

A game that is not recorded counts nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.tournaments.observer import UnkeptError
from oddly.tournaments.results.played_game import PlayedGame, turns_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.control import Control
    from oddly.tournaments.observer import Observer
    from oddly.tournaments.schedule import ScheduledGame

    Kept = Callable[[PlayedGame, GameRecord], None]

RETRY_PAUSE = 1.0
"""Seconds after which writing is tried again."""


class Keeper:
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
        """Return when every game that ended is recorded, or the run is stopped."""
        while self.unkept and not self._control.stopping:
            await trio.sleep(RETRY_PAUSE)
            self.try_again()

    def try_again(self) -> None:
        """Record the games that are waiting, as far as possible."""
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
