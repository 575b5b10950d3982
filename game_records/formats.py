"""The file formats of games, by name and by file ending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from game_records.json_lines import json_line, read_json_lines
from game_records.sgf_reading import read_sgf
from game_records.sgf_writing import sgf_game
from game_records.turn_lists import TurnListWriter, read_turn_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_records.kept_game import KeptGame
    from games.game import Game


@dataclass(frozen=True)
class FileFormat:
    """How games are read from a file, and how each is written; both may raise RecordError.

    `read` takes the file and the game that it is of, if the file does not say it. `writer` gives
    a function from games to their text, for one file.
    """

    suffixes: tuple[str, ...]
    read: Callable[[IO[bytes], Game | None], Iterator[KeptGame]]
    writer: Callable[[], Callable[[KeptGame], str]]


FORMATS = {
    "sgf": FileFormat((".sgf",), read_sgf, lambda: sgf_game),
    "jsonl": FileFormat((".jsonl", ".json", ".ndjson"), read_json_lines, lambda: json_line),
    "turns": FileFormat((".turns", ".txt"), read_turn_list, TurnListWriter),
}


def format_of(path: Path) -> str | None:
    """Return the format of a file of that name, or None."""
    for name, format_ in FORMATS.items():
        if path.suffix.lower() in format_.suffixes:
            return name
    return None
