"""Keeping every finished game at once, so that nothing that happens later can lose it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from referee.record import GameRecord
    from tournaments.results.played_game import PlayedGame
    from tournaments.runner import Observer
    from tournaments.schedule import ScheduledGame


class RecordKeeper:
    """An observer that writes each game as a line of JSON, on disk before the next one counts.

    If that fails (a full disk), `failure` says why, and the games are played on without records.
    """

    def __init__(self, observer: Observer, path: Path) -> None:
        self._observer = observer
        self._path = path
        self.failure: str | None = None

    def began(self, scheduled: ScheduledGame) -> None:
        """Tell the other observer."""
        self._observer.began(scheduled)

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game, then tell the other observer."""
        if self.failure is None:
            try:
                self._write(json.dumps(game_facts(played, record)) + "\n")
            except OSError as error:
                number = played.scheduled.number
                self.failure = f"cannot write {self._path} from game {number} on: {error.strerror}"
        self._observer.ended(played, record)

    def _write(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def game_facts(played: PlayedGame, record: GameRecord) -> dict[str, Any]:
    """A finished game as plain values for JSON."""
    scheduled = played.scheduled
    facts = {"id": scheduled.id, "number": scheduled.number, "round": scheduled.round}
    return {**facts, **record.as_json()}
