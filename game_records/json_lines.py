"""JSON Lines: one complete record a line, as `--records` and `oddly export` write them."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.lines import numbered_lines
from oddly.referee.justice.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games.game import Game


def read_json_lines(stream: IO[bytes], _game: Game | None = None) -> Iterator[KeptGame]:
    """Return the games of a file. Raises RecordError with the line."""
    for number, line in numbered_lines(stream):
        if line.strip():
            try:
                yield KeptGame.read(line)
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from None


def json_line(game: KeptGame) -> str:
    """Return the line of one game."""
    return json.dumps(game.as_json()) + "\n"
