"""Writing each game to a file as soon as it ends."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from oddly.tournaments.observer import Observer

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.results.played_game import PlayedGame


class RecordFile(Observer):
    """An observer that writes each game to the disk as a line of JSON when it ends.

    If that fails, as on a full disk, `failure` says why, and the run goes on without records.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Write the game."""
        if self.failure is not None:
            return
        try:
            self._write(json.dumps(game_facts(played, record)) + "\n")
        except OSError as error:
            number = played.scheduled.number
            self.failure = f"cannot write {self._path} from game {number} on: {error.strerror}"

    def _write(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def game_facts(played: PlayedGame, record: GameRecord) -> dict[str, Any]:
    """Return a finished game as plain values for JSON."""
    scheduled = played.scheduled
    facts = {"id": scheduled.id, "number": scheduled.number, "round": scheduled.round}
    return {**facts, **record.as_json()}
