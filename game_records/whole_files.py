"""All games of a file at once, in the format that its name ends in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from game_records.files import new_file
from game_records.formats import FORMATS, format_of
from referee.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game_records.formats import FileFormat
    from game_records.kept_game import KeptGame
    from games.game import Game


def read_games(path: str | Path, game: Game | None = None) -> list[KeptGame]:
    """Return the games of a file, each judged by the rules.

    `game` is what a file is of that does not say so itself. Raises RecordError for a file of no
    known format and for a game that the rules contradict, and OSError.
    """
    format_ = _format_of(Path(path))
    with Path(path).open("rb") as file:
        return list(format_.read(file, game))


def write_games(
    games: Iterable[KeptGame], path: str | Path, format_: FileFormat | None = None
) -> int:
    """Write games to a new file and return how many there are.

    Raises RecordError for a file of no known format and for a game that cannot be written in it,
    and FileExistsError; no file is left then.
    """
    write = (format_ or _format_of(Path(path))).writer()
    with new_file(Path(path)) as file:
        return sum(file.write(write(game)) > 0 for game in games)


def _format_of(path: Path) -> FileFormat:
    name = format_of(path)
    if name is None:
        endings = [suffix for format_ in FORMATS.values() for suffix in format_.suffixes]
        raise RecordError(f"the name {path.name!r} ends with none of {', '.join(endings)}")
    return FORMATS[name]
