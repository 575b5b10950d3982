"""The wire log of one game, in the hands of its only owner.

A log only watches. So whatever it raises costs the log and not the game, and it is taken away from
the players before it is closed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oddly.referee.justice.outcome import failure_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.referee.conversation.player import Player
    from oddly.referee.justice.record import GameRecord
    from oddly.referee.match.wire_log import WireLog


class GameLog:
    """Owns a log, if there is one, until `close`. None of the methods raises an Exception.

    After one nothing more is written, and `WireLog.failure` says why.
    """

    def __init__(self, log: WireLog | None) -> None:
        self._log = log
        self._players: list[Player] = []

    def follow(self, index: int, player: Player) -> None:
        """Write what passes from now on between the referee and the player of this index."""
        if self._log is not None:
            self._players.append(player)
            player.log_to(partial(self._data, index))

    def wait(self, player: int, looked: float, lost: float) -> None:
        """Write what `WireLog.wait` does."""
        self._attempt(lambda log: log.wait(player, looked, lost))

    def close(self, record: GameRecord | None = None) -> None:
        """Take the log away from the players, write how the game ended, and close it.

        Without a record the game was given up. A second call does nothing.
        """
        for player in self._players:
            player.log_to(None)
        self._players.clear()
        if record is not None:
            self._attempt(lambda log: log.outcome(record.as_json()))
        self._attempt(lambda log: log.close())
        self._log = None

    def _data(self, index: int, direction: str, data: bytes, at: float) -> None:
        self._attempt(lambda log: log.data(index, direction, data, at))

    def _attempt(self, write: Callable[[WireLog], None]) -> None:
        if self._log is None:
            return
        try:
            write(self._log)
        except Exception as error:
            self._log.failure = failure_text(error)
