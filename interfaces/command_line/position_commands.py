"""`oddly show` and `oddly diagram`: a position, or a recorded game; `oddly perft`: what may follow.

The position after some turns is drawn as text or as a picture, a recorded game turn by turn or at
one of its turns. Perft counts legal sequences.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from oddly.games import Picture, Position, Turn, draw, moving_svg, picture_of, png, svg
from oddly.games.drawing.picture import Heat, Trace, trace_of
from oddly.games.drawing.png import DEFAULT_WIDTH, FONT_REMEDY, NO_FONT, NoPngError, lacks_words
from oddly.games.legal_turns import perft
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import POSITIVE, OneOf, command
from oddly.interfaces.command_line.common_options import (
    JSON,
    POSITION,
    TURNS,
    GameOptions,
    NamedGame,
    RecordOptions,
    names_a_diagram,
    play_turns,
    position_from,
)
from oddly.interfaces.command_line.declaring import flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, refusing, say
from oddly.interfaces.text.progress import waiting
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, RecordError
from oddly.safe_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games import Game


@options("A recorded game, instead of a position")
class ShownRecord(RecordOptions):
    """A recorded game in a file of any format."""

    record: Path | None = option(
        "FILE",
        "a file of games (JSON Lines, SGF, ...): its turns, with the win rate and lead that "
        "their players expected, and the last position",
    )


@command("show --game yodd --size 4 Bd4 We2,Wb5 Bc4,We3 pass")
def show_command(
    *,
    game: GameOptions,
    words: tuple[str, ...] = POSITION,
    recorded: ShownRecord,
    as_json: bool = JSON,
) -> None:
    """Print the diagram, and for a recorded game its turns."""
    record = record_of("show", game, words, recorded)
    if record is not None:
        show_record(record, recorded.turn, as_json=as_json)
        return
    if names_a_diagram(words) and _looks_like_a_file(words[0]):
        position = position_from(game, words, "show")
    else:
        position = play_turns(game.create(), words)
    print(json.dumps(position_facts(position), indent=2) if as_json else draw(position))


def _looks_like_a_file(word: str) -> bool:
    """Return whether `word`, which is no turn, is meant as a file; if not, as a malformed turn."""
    return word == "-" or ("." in word and word.isprintable()) or Path(word).is_file()


def show_record(record: GameRecord, last: int | None, *, as_json: bool) -> None:
    """Print a recorded game up to its turn `last`, None for all. Raises BadInputError."""
    from oddly.interfaces.text.tables import folded, record_line, turn_facts, turn_table

    if last is not None and last > len(record.turns):
        raise BadInputError(f"show: the game has {counted(len(record.turns), 'turn')}, not {last}")
    position = play_turns(record.game, [played.turn for played in record.turns[:last]])
    if as_json:
        facts = {
            "players": list(record.players),
            "score": record.outcome.score,
            "termination": record.outcome.termination.value,
            "opening": record.opening,
            "turns": turn_facts(record.turns[:last]),
        }
        print(json.dumps({**position_facts(position), **facts}, indent=2))
    else:
        print(f"{folded(record_line(record))}\n\n{turn_table(record, last)}\n\n{draw(position)}")


def position_facts(position: Position) -> dict[str, Any]:
    """Return a position as plain values for JSON."""
    return {
        "game": str(position.game),
        "to_move": None if position.is_over else str(position.to_move),
        "groups": list(position.group_counts),
        "result": None if position.result is None else str(position.result),
        "diagram": draw(position),
    }


def record_of(
    command: str, game: GameOptions, words: Sequence[str], recorded: RecordOptions
) -> GameRecord | None:
    """Return the game of --record, None without it. Raises BadInputError if they do not fit."""
    if recorded.record is not None:
        if words:
            raise BadInputError(f"{command}: with --record the turns come from the file")
        named = game.create_if_named(command)
        return record_in(recorded.record, recorded.line or 1, command, named)
    if game.game is None:
        raise BadInputError(f"{command}: --game or --record is missing")
    for name, value in (("line", recorded.line), ("turn", recorded.turn)):
        if value is not None:
            raise BadInputError(f"{command}: --{name} goes with --record")
    return None


def record_in(path: Path, number: int, command: str, game: Game | None) -> GameRecord:
    """Return a game of a file; the first is number 1.

    `game` has the rules if the file does not say. Raises BadInputError if there is no such game,
    or it has other rules.
    """
    # Reading files of games takes long to import.
    from oddly.game_records import FORMATS, format_of_file
    from oddly.safe_files import is_sqlite_file

    with (
        refusing(RecordError, UnicodeDecodeError, where=f"{command}: {path}"),
        refusing(OSError, where=f"{command}: cannot read {path}"),
    ):
        name = format_of_file(path)
        if name is None:
            hint = "; 'oddly export' writes its games to one" if is_sqlite_file(path) else ""
            raise BadInputError(f"{command}: {path} is not named like a file of games{hint}")
        with path.open("rb") as stream:
            kept = next(islice(FORMATS[name].read(stream, game), number - 1, None), None)
    if kept is None:
        raise BadInputError(f"{command}: {path} has no game {number}")
    if game not in (None, kept.record.game):
        raise BadInputError(f"{command}: {path} has a game of {kept.record.game}, not of {game}")
    return kept.record


FORMATS = ("svg", "png", "ascii")
SUFFIXES = {".svg": "svg", ".png": "png", ".txt": "ascii"}
NOUNS = {"svg": "SVG", "png": "PNG", "ascii": "diagram"}
LOOKS = {
    "svg": re.compile(
        # Possessive: otherwise many comments would be tried in all combinations.
        rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\]\s*)?>)*+"
        rb"<svg[\s/>]",
        re.DOTALL,
    ),
    "png": re.compile(rb"\x89PNG"),
    "ascii": re.compile(
        rb"(?:[ a-z\d]* [XO.](?: [XO.])*(?:  \d+)?\n)+ +[a-z](?: [a-z])*\n"
        rb"(?:Black \(X\)|White \(O\)) to move(?:, .*)?\n"
        rb"Groups: \d+ black \+ \d+ white = \d+(?:\nResult: .*)?\n?\Z"
    ),
}
"""By what an earlier picture of a format is known."""
WIDEST = 8192
LARGEST_VALUE = 1e300


class Shown(NamedTuple):
    """A position, with the turns from the start of its game if known."""

    position: Position
    turns: tuple[Turn, ...]


@options("Picture")
class PictureOptions:
    """What the picture shows besides the stones, and where it goes."""

    to: str | None = option(
        "FORMAT",
        f"{', '.join(FORMATS)}; by default what the name of --output ends in, or svg",
        kind=OneOf(*FORMATS),
    )
    output: Path | None = option(
        "FILE", "where to, - for standard output (default: standard output)", names="--output -o"
    )
    width: int = option("PIXELS", "of a PNG", kind=POSITIVE, default=DEFAULT_WIDTH)
    caption: str = option("TEXT", "a line below the board", default="")
    numbers: bool = flag("write on each stone the turn that put it there")
    no_marks: bool = flag("do not mark the last turn")
    no_coordinates: bool = flag("leave out the labels")
    moving: bool = flag("show the game turn by turn, as an SVG that moves")
    values: Path | None = option(
        "FILE", 'a JSON object of numbers by vertex, {"c3": 0.52}, drawn as a heat map'
    )


@command("diagram --game yodd --size 4 Bd4 We2,Wb5 Bc4,We3 -o board.svg")
def diagram_command(
    *,
    game: GameOptions,
    words: tuple[str, ...] = POSITION,
    recorded: RecordOptions,
    options: PictureOptions,
) -> None:
    """Draw the picture."""
    if str(options.output) == "-":
        options = replace(options, output=None)
    kind = _format(options.to, options.output, options.width)
    if options.output is not None:
        diagram = Path(words[0]) if names_a_diagram(words) else None
        _check_replaceable(options.output, kind, (recorded.record, options.values, diagram))
    record = record_of("diagram", game, words, recorded)
    shown = _from_words(game, words) if record is None else _from_record(record, recorded)
    if options.moving:
        _write(options.output, _moving(shown, options, kind).encode())
    elif kind == "ascii":
        _write(options.output, (draw(shown.position) + "\n").encode())
    elif kind == "svg":
        _write(options.output, svg(_picture(shown, options)).encode())
    else:
        picture = _picture(shown, options)
        with refusing(NoPngError, where="diagram"):
            _write(options.output, png(picture, options.width))
        if lacks_words(picture):
            say(f"diagram: the PNG has no words, since {NO_FONT}: {FONT_REMEDY}, or choose svg")


def _moving(shown: Shown, options: PictureOptions, kind: str) -> str:
    """Return the game as a moving picture. Raises BadInputError for a single position."""
    if not shown.turns:
        raise BadInputError("diagram: --moving shows turns: give some, or --record")
    if kind != "svg":
        raise BadInputError(f"diagram: a moving picture is an SVG, not {kind}")
    if options.caption or options.values or options.no_marks:
        raise BadInputError(
            "diagram: a moving picture has captions and marks of its own: leave out --caption, "
            "--values and --no-marks"
        )
    return moving_svg(
        shown.position.game.start(),
        shown.turns,
        numbers=options.numbers,
        coordinates=not options.no_coordinates,
    )


def _picture(shown: Shown, options: PictureOptions) -> Picture:
    trace = trace_of(shown.turns)
    if options.no_marks:
        trace = Trace(numbers=trace.numbers)
    return picture_of(
        shown.position,
        trace,
        numbers=options.numbers,
        caption=options.caption,
        heat=_heat(options.values, shown.position),
        coordinates=not options.no_coordinates,
    )


def _format(to: str | None, output: Path | None, width: int) -> str:
    """Return the format to write.

    Raises BadInputError for an unknown one, and for a PNG that is too wide or would go to a
    terminal.
    """
    by_name = SUFFIXES.get(output.suffix.lower(), "") if output else "svg"
    kind = to or by_name
    if not kind:
        known = ", ".join(SUFFIXES)
        raise BadInputError(
            f"diagram: the format of {str(output)!r} is unknown: use one of {known}, or give --to"
        )
    if kind == "png" and output is None and sys.stdout.isatty():
        raise BadInputError("diagram: a PNG cannot be shown on a terminal; give --output FILE")
    if width > WIDEST:
        raise BadInputError(f"diagram: --width is at most {WIDEST}, not {width}")
    return kind


def _check_replaceable(output: Path, kind: str, sources: Iterable[Path | None]) -> None:
    """Raise BadInputError for an output that is a source of the picture, or no picture at all."""
    with refusing(OSError, where=f"diagram: cannot write {output}"):
        content = output.read_bytes() if output.is_file() else b""
    for source in filter(None, sources):
        # One that is not there is refused when it is read.
        with suppress(OSError):
            if output.samefile(source):
                raise BadInputError(f"diagram: {output} is what is drawn: name another --output")
    if content and not LOOKS[kind].match(content):
        raise BadInputError(f"diagram: {output} is no {NOUNS[kind]}: name a new file")


def _from_words(game: GameOptions, words: Sequence[str]) -> Shown:
    """Return the position of the diagram, or after the turns."""
    position = position_from(game, words, "diagram")
    if names_a_diagram(words):
        return Shown(position, ())
    return Shown(position, tuple(parse_turn(word) for word in words))


def _from_record(record: GameRecord, recorded: RecordOptions) -> Shown:
    """Return a recorded game after some of its turns."""
    path, number = recorded.record, recorded.line or 1
    turns = [played.turn for played in record.turns]
    last = len(turns) if recorded.turn is None else recorded.turn
    if last > len(turns):
        length = counted(len(turns), "turn")
        raise BadInputError(
            f"diagram: the game in line {number} of {path} has {length}, not {last}"
        )
    # A BadInputError is a ValueError too.
    with refusing(ValueError, where=f"diagram: {path}:{number}"):
        position = play_turns(record.game, turns[:last])
    return Shown(position, tuple(parse_turn(turn) for turn in turns[:last]))


def _heat(path: Path | None, position: Position) -> Heat | None:
    """Return the values of a heat map, if any. Raises BadInputError if they cannot be read."""
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = json.loads(text, object_pairs_hook=_each_once)
    except OSError as error:
        raise BadInputError(f"diagram: cannot read {path}: {error.strerror}") from None
    except BadInputError as error:
        raise BadInputError(f"diagram: {path}: {error}") from None
    except (ValueError, RecursionError):
        raise BadInputError(f"diagram: {path} is not JSON") from None
    if not isinstance(values, dict) or not values:
        raise BadInputError(f'diagram: {path} should be a JSON object such as {{"c3": 0.52}}')
    for vertex, value in values.items():
        if vertex not in position.game.board:
            raise BadInputError(
                f"diagram: {path}: {vertex!r} is not a vertex of the {position.game.board}"
            )
        if type(value) not in (int, float) or not abs(value) <= LARGEST_VALUE:
            raise BadInputError(
                f"diagram: {path}: the value of {vertex} is not a number from "
                f"-{LARGEST_VALUE:g} to {LARGEST_VALUE:g}: {value!r}"
            )
    return Heat(values)


def _each_once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return the values by vertex. Raises BadInputError if a vertex has two."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice, _ = Counter(vertex for vertex, _ in pairs).most_common(1)[0]
        raise BadInputError(f"{twice!r} has two values")
    return values


def _write(output: Path | None, data: bytes) -> None:
    """Write to the file, or to standard output. Raises BadInputError if that fails."""
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    with refusing(OSError, where=f"diagram: cannot write {output}"):
        replace_file(output, data)


@command("perft --game ayu --size 5 --depth 2")
def perft_command(
    *,
    game: NamedGame,
    depth: int = option("N", "1 or more", kind=POSITIVE),
    by: Literal["turn", "drop"] = option(
        "UNIT", "what to count: turn or drop", kind=OneOf("turn", "drop"), default="turn"
    ),
    turns: tuple[str, ...] = TURNS,
    as_json: bool = JSON,
) -> None:
    """Print one line, `depth count`, for each depth from 1."""
    position = play_turns(game.create(), turns)
    counts = []
    for level in range(1, depth + 1):
        with waiting(f"counting to depth {level}"):
            counts.append(perft(position, level, by)[-1])
        if not as_json:
            print(level, counts[-1], flush=True)
    if as_json:
        print(json.dumps({"game": str(position.game), "by": by, "counts": counts}, indent=2))
