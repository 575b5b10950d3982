"""A file that holds the game after every turn, so that no crash loses it."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

from oddly.game_records.json_lines import json_line
from oddly.game_records.kept_game import KeptGame
from oddly.interfaces.human_play.state_folder import state_folder

if TYPE_CHECKING:
    from pathlib import Path

    from oddly.games.game import Game
    from oddly.referee.justice.record import GameRecord


def default_file(game: Game) -> Path:
    """Return a new file in the user's state folder (XDG).

    Its name is like `20260131-201500-yodd-6-4711.jsonl`, with the number of the process at the end.
    """
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    name = f"{stamp}-{game.name}-{game.size}-{os.getpid()}.jsonl"
    return state_folder() / "games" / name


class Autosave:
    """Replaces a file by the game as one line of JSON; a crash leaves the old file or the new one.

    If writing fails, `failure` says why, and play goes on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        self.has_kept = False

    def keep(self, record: GameRecord) -> bool:
        """Write the game. Returns False when that fails for the first time."""
        if self.failure:
            return True
        part = self.path.with_name(f".{self.path.name}.part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                file.write(json_line(KeptGame(record)))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError as error:
            self.failure = f"cannot write {self.path}: {error.strerror}"
            return False
        self.has_kept = True
        return True
