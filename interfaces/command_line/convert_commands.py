"""`oddly convert IN OUT` and `oddly export LEDGER`: games from one format to another.

A converted game is judged on the way. A ledger's games become CSV, JSON Lines, SGF or lists of
turns.
"""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from oddly.game_records import FORMATS, FileFormat, KeptGame, format_of, format_of_file
from oddly.game_records import write_games as write_file
from oddly.game_records.formats import SGF_OF_TAPS, LossCount, game_file_name, shortened
from oddly.game_records.sgf_reading import read_what_followed
from oddly.games import Game, did_you_mean, one_line
from oddly.games.untrusted_text import csv_cell
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, OneOf, command
from oddly.interfaces.command_line.common_options import LEDGER, GameOptions, saved_game
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import BadInputError, refusing, say
from oddly.interfaces.text.progress import waiting
from oddly.referee import GameRecord, RecordError
from oddly.safe_files import is_sqlite_file, new_folder
from oddly.tournaments import Ledger, LedgerError
from oddly.tournaments.results.schedule import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oddly.game_records.kept_game import Notice


FOLDER = option(
    "DIR", "write one file per game, in this new folder (GoGui opens one game per file)"
)
"""`--folder`, for programs that expect one game a file."""


def write_games(
    games: Iterable[KeptGame],
    format_: FileFormat,
    *,
    file: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Write the games one by one. If that fails, raise BadInputError and leave no file."""
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
    print(f"{counted(number, 'game')} in {one_line(str(folder or file))}", file=sys.stderr)


def _write_folder(games: Iterable[KeptGame], format_: FileFormat, path: Path) -> int:
    written = 0
    with new_folder(path) as folder:
        for game in games:
            name = game_file_name(written + 1, game.record, format_.suffixes[0])
            (folder / name).write_text(format_.writer()(game), encoding="utf-8")
            written += 1
    return written


NAMES = f"{', '.join(FORMATS)} (default: by the ending of its name)"
ENDINGS = ", ".join(
    dict.fromkeys(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)
)


@command(
    "convert club.jsonl club.sgf",
    epilog="The options of a game say what IN has games of, where it does not say so itself.",
)
def convert_command(
    source: Path = argument("IN", "a file of games, or - for standard input"),
    target: Path | None = argument(
        "[OUT]", "a new file, or - for standard output (default: standard output, with --to)"
    ),
    *,
    from_format: str | None = option(
        "FORMAT", f"the format of IN: {NAMES}", kind=OneOf(*FORMATS), names="--from"
    ),
    to_format: str | None = option(
        "FORMAT", f"the format of OUT: {NAMES}", kind=OneOf(*FORMATS), names="--to"
    ),
    folder: Path | None = FOLDER,
    taps: bool = flag("write SGF as GoGui saves it, one move per tap, to play on in GoGui"),
    first: int | None = option(
        "K",
        "only the first K turns of each game: with --to turns, a file of openings",
        kind=POSITIVE,
    ),
    after: Path | None = option(
        "FILE", "IN is what GoGui saved after it had gone on with the game in FILE: write both"
    ),
    game: GameOptions,
) -> None:
    """Read, judge and write the games one by one."""
    if target is not None and folder is not None:
        raise BadInputError("convert: name OUT or --folder, not both")
    if str(target) == "-":
        target = None
    _check_no_ledger(source)
    read_as = _format(from_format or format_of_file(source), source, "--from")
    if to_format is None and taps and target is None:
        to_format = "sgf"
    # A folder of single games has the format of the collection, if no other is named.
    write_as = _format(to_format, source if folder is not None else target, "--to")
    if taps:
        write_as = _taps(write_as)
    kind = game.create_if_named("convert")
    if after is not None:
        read_as = _following(read_as, saved_game("convert", after, kind).record)
    count = LossCount(write_as)
    with _opened(source) as stream:
        games = _games(stream, source, read_as, kind, first)
        write_games(count.watch(games), write_as, file=target, folder=folder)
    if lost := count.sentence():
        say(f"convert: {lost}")


def _check_no_ledger(path: Path) -> None:
    """Raise BadInputError for a ledger, which has another command."""
    if str(path) != "-" and path.is_file() and is_sqlite_file(path):
        raise BadInputError(f"convert: {path} is a ledger: 'oddly export {path} --to ...' reads it")


def _format(chosen: str | None, path: Path | None, option: str) -> FileFormat:
    """Return the chosen format, or the one of a name's ending. Raises BadInputError if none."""
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


def _taps(chosen: FileFormat) -> FileFormat:
    """Return the format that writes SGF tap by tap. Raises BadInputError for other formats."""
    if chosen is not FORMATS["sgf"]:
        raise BadInputError("convert: --taps is a way to write SGF: name OUT .sgf, or --to sgf")
    return SGF_OF_TAPS


def _following(chosen: FileFormat, earlier: GameRecord) -> FileFormat:
    """Return the format that reads what followed a game. Raises BadInputError except for SGF."""
    if chosen is not FORMATS["sgf"]:
        raise BadInputError("convert: --after goes with SGF that GoGui saved as IN")

    def read(
        stream: IO[bytes], _game: Game | None = None, notice: Notice | None = None
    ) -> Iterator[KeptGame]:
        return read_what_followed(stream, earlier, notice)

    return replace(chosen, read=read)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open the file, with a progress bar if standard error is a terminal."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
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
    stream: IO[bytes], path: Path, format_: FileFormat, game: Game | None, first: int | None
) -> Iterator[KeptGame]:
    name = "standard input" if str(path) == "-" else one_line(str(path))

    def notice(sentence: str) -> None:
        say(f"{name}: {sentence}")

    with refusing(RecordError, where=f"convert: {name}"):
        for kept in format_.read(stream, game, notice):
            yield kept if first is None else shortened(kept, first)


COLUMNS = (
    "first", "second", "winner", "id", "game", "score", "termination", "turns",
    "first_seconds", "second_seconds", "lag", "seed", "opening", "copy_of",
)  # fmt: skip
"""`oddly ratings` reads the first four and the last two, which are the opening and the id of the
game that this one repeats.
"""


@command("export club.sqlite --to sgf --folder games")
def export_command(
    ledger: Path = LEDGER,
    *,
    to: str = option(
        "FORMAT",
        "csv: one line per game; jsonl: everything about each game, with its turns; "
        "sgf: one collection, for Go programs; turns: one line of turns per game; abstract-play: "
        "one object per game, as that site writes them",
        kind=OneOf("csv", *FORMATS),
        default="csv",
    ),
    folder: Path | None = FOLDER,
) -> None:
    """Read the ledger, which is not changed, and write its games."""
    with (
        refusing(LedgerError),
        waiting(f"reading {ledger}"),
        Ledger(ledger, read_only=True) as opened,
    ):
        records = opened.records()
        event = opened.event()
    if to != "csv":
        named = {} if event is None else {"event": event["name"]}
        games = (KeptGame(record, {"id": id_, **named}) for id_, record in records.items())
        write_games(games, FORMATS[to], folder=folder)
    elif folder is not None:
        raise BadInputError("export: --folder writes one file per game; CSV is one table")
    else:
        # UTF-8 in every locale, as all files of games.
        sys.stdout.buffer.write(_csv(records).encode())


def _csv(records: Mapping[str, GameRecord]) -> str:
    """Return the games as CSV, with a line for COLUMNS; `records` are by the games' ids."""
    table = StringIO(newline="")
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(COLUMNS)
    firsts: dict[tuple[object, ...], str] = {}
    for identity, record in records.items():
        first = firsts.setdefault(content(record), identity)
        rows.writerow(row(identity, record, "" if first == identity else first))
    return table.getvalue()


def row(identity: str, record: GameRecord, copy_of: str) -> tuple[object, ...]:
    """Return a game as a row of COLUMNS, with untrusted text escaped for spreadsheets."""
    outcome = record.outcome
    # A swap changes colours, but the players go on taking turns.
    seconds = [sum(turn.seconds for turn in record.turns[player::2]) for player in (0, 1)]
    return (
        *(csv_cell(name) for name in record.players),
        "draw" if outcome.winner is None else ("first", "second")[outcome.winner],
        csv_cell(identity),
        str(record.game),
        outcome.score,
        outcome.termination.value,
        len(record.turns),
        *(f"{player:.6f}" for player in seconds),
        f"{outcome.lag:.6f}",
        record.seed,
        " ".join(turn.turn for turn in record.turns[: record.opening]),
        csv_cell(copy_of),
    )
