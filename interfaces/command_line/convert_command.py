"""`oddly convert IN OUT`: games from one format to another, judged by the rules on the way."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from game_records.formats import FORMATS, format_of
from game_records.shortening import shortened
from games.errors import did_you_mean
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.game_files import add_folder_argument, write_games
from interfaces.command_line.parser import BadInputError, add_game_arguments, game_from, positive
from referee.record import RecordError
from tournaments.ledger.schema import is_ledger

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from game_records.formats import Format
    from game_records.kept_game import KeptGame
    from games.game import Game

ENDINGS = ", ".join(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("source", metavar="IN", help="a file of games, or - for standard input")
    parser.add_argument(
        "target", nargs="?", metavar="OUT", help="a new file (default: standard output, with --to)"
    )
    for option, what in (("--from", "IN"), ("--to", "OUT")):
        parser.add_argument(
            option,
            choices=tuple(FORMATS),
            dest=option.strip("-") + "_format",
            help=f"the format of {what} (default: by the ending of its name)",
        )
    add_folder_argument(parser)
    parser.add_argument(
        "--first",
        type=positive,
        metavar="K",
        help="only the first K turns of each game: with --to turns, a file of openings",
    )
    add_game_arguments(parser, required=False)
    parser.epilog = (
        "The options of a game say what IN has games of, where it does not say so itself."
    )
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, judge and write game by game."""
    if arguments.target is not None and arguments.folder is not None:
        raise BadInputError("convert: name OUT or --folder, not both")
    source = Path(arguments.source)
    target = None if arguments.target is None else Path(arguments.target)
    read_as = _format(arguments.from_format, source, "--from")
    write_as = _format(arguments.to_format, target, "--to")
    game = _game(arguments)
    with _opened(source) as stream:
        games = _games(stream, source, read_as, game, arguments.first)
        write_games(games, write_as, file=target, folder=arguments.folder)
    return DONE


def _format(chosen: str | None, path: Path | None, option: str) -> Format:
    """The format that was chosen or that a name ends with. Raises BadInputError."""
    if chosen is None and path is not None:
        chosen = format_of(path)
    if chosen is not None:
        return FORMATS[chosen]
    choice = f"give {option} with one of {', '.join(FORMATS)}"
    if path is None or str(path) == "-":
        raise BadInputError(f"convert: which format? {choice}")
    raise BadInputError(
        f"convert: the name {str(path)!r} ends with none of {ENDINGS}"
        f"{did_you_mean(path.suffix, ENDINGS.split(', '))}; or {choice}"
    )


def _game(arguments: argparse.Namespace) -> Game | None:
    if arguments.game is not None:
        return game_from(arguments)
    given = (arguments.size, arguments.board, arguments.min_group, arguments.pie or None)
    if any(value is not None for value in given):
        raise BadInputError("convert: --size and a game's settings go with --game")
    return None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The file, with a bar of how much of it is read where standard error is a terminal."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    if path.is_file() and is_ledger(path):
        raise BadInputError(f"convert: {path} is a ledger: 'oddly export {path} --to ...' reads it")
    from rich.console import Console
    from rich.progress import open as open_with_bar

    try:
        with open_with_bar(
            path,
            "rb",
            description="converting",
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        ) as stream:
            yield stream
    except OSError as error:
        if error.filename != str(path):
            raise
        raise BadInputError(f"convert: cannot read {path}: {error.strerror}") from None


def _games(
    stream: IO[bytes], path: Path, format_: Format, game: Game | None, first: int | None
) -> Iterator[KeptGame]:
    try:
        for kept in format_.read(stream, game):
            yield kept if first is None else shortened(kept, first)
    except RecordError as error:
        name = "standard input" if str(path) == "-" else path
        raise BadInputError(f"convert: {name}: {error}") from None
