"""Writing games in one of the formats: to standard output, to a file, or a file for each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from oddly.game_records import write_games as write_file
from oddly.game_records.formats import game_file_name
from oddly.games import one_line
from oddly.interfaces.command_line.command import option
from oddly.interfaces.command_line.errors import BadInputError
from oddly.interfaces.command_line.values import FILE
from oddly.referee import RecordError
from oddly.safe_files import new_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oddly.game_records import FileFormat, KeptGame


folder_option = option(
    "--folder",
    type=FILE,
    metavar="DIR",
    help="write one file per game, in this new folder (GoGui opens one game per file)",
)
"""`--folder`, for programs that open one game a file."""


def write_games(
    games: Iterable[KeptGame],
    format_: FileFormat,
    *,
    file: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Write the games one by one. Raises BadInputError if that fails; no file is left then."""
    try:
        if folder is not None:
            number = _write_folder(games, format_, folder)
        elif file is not None:
            number = write_file(games, file, format_)
        else:
            write = format_.writer()
            for game in games:
                # SGF and JSON are UTF-8 wherever they go.
                sys.stdout.buffer.write(write(game).encode())
            sys.stdout.buffer.flush()
            return
    except BrokenPipeError:
        raise
    except RecordError as error:
        raise BadInputError(f"a game cannot be written: {error}") from None
    except OSError as error:
        place = error.filename or file or folder or "standard output"
        raise BadInputError(f"cannot write {place}: {error.strerror}") from None
    print(
        f"{number} game{'s' if number != 1 else ''} in {one_line(str(folder or file))}",
        file=sys.stderr,
    )


def _write_folder(games: Iterable[KeptGame], format_: FileFormat, path: Path) -> int:
    written = 0
    with new_folder(path) as folder:
        for game in games:
            name = game_file_name(written + 1, game.record, format_.suffixes[0])
            (folder / name).write_text(format_.writer()(game), encoding="utf-8")
            written += 1
    return written
