"""`oddly diagram`: a position, or a recorded game at one of its turns, as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import draw, moving_svg, picture_of, png, svg
from oddly.games.drawing.picture import Heat, Trace, trace_of
from oddly.games.drawing.png import DEFAULT_WIDTH, FONT_REMEDY, NO_FONT, NoPngError, lacks_words
from oddly.interfaces.command_line.command import POSITIVE, OneOf, command
from oddly.interfaces.command_line.declaring import flag, option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.game_options import (
    POSITION,
    GameOptions,
    names_a_diagram,
    play_turns,
    position_from,
)
from oddly.interfaces.command_line.shared_options import RecordOptions
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Picture, Position, Turn

FORMATS = ("svg", "png", "ascii")
SUFFIXES = {".svg": "svg", ".png": "png", ".txt": "ascii"}
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
    output: Path | None = option("FILE", "where to (default: standard output)", names="--output -o")
    width: int = option("PIXELS", "of a PNG", kind=POSITIVE, default=DEFAULT_WIDTH)
    caption: str = option("TEXT", "a line below the board", default="")
    numbers: bool = flag("write on each stone the turn that put it there")
    no_marks: bool = flag("do not mark the last turn")
    no_coordinates: bool = flag("leave out the labels")
    moving: bool = flag("show the game turn by turn, as an SVG that moves")
    values: Path | None = option(
        "FILE", 'a JSON object of numbers by vertex, {"c3": 0.52}, drawn as a heat map'
    )


@command()
def run(
    *,
    game: GameOptions,
    words: tuple[str, ...] = POSITION,
    recorded: RecordOptions,
    options: PictureOptions,
) -> int:
    """Draw the picture."""
    kind = _format(options.to, options.output, options.width)
    if recorded.record is None:
        shown = _from_words(game, words, recorded)
    else:
        shown = _from_record(game, words, recorded.record, recorded)
    if options.moving:
        _write(options.output, _moving(shown, options, kind).encode())
        return DONE
    if kind == "ascii":
        _write(options.output, (draw(shown.position) + "\n").encode())
        return DONE
    picture = _picture(shown, options)
    if kind == "svg":
        _write(options.output, svg(picture).encode())
        return DONE
    try:
        _write(options.output, png(picture, options.width))
    except NoPngError as error:
        raise BadInputError(f"diagram: {error}") from None
    if lacks_words(picture):
        print(
            f"oddly: diagram: the PNG has no words, since {NO_FONT}: {FONT_REMEDY}, or choose svg",
            file=sys.stderr,
        )
    return DONE


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


def _from_words(game: GameOptions, words: Sequence[str], recorded: RecordOptions) -> Shown:
    """Return the position of the diagram, or after the turns."""
    if game.game is None:
        raise BadInputError("diagram: --game or --record is missing")
    recorded.check_unused("diagram")
    position = position_from(game, words, "diagram")
    if names_a_diagram(words):
        return Shown(position, ())
    return Shown(position, tuple(parse_turn(word) for word in words))


def _from_record(
    game: GameOptions, words: Sequence[str], path: Path, recorded: RecordOptions
) -> Shown:
    """Return a recorded game after some of its turns."""
    if not game.is_empty or words:
        raise BadInputError("diagram: with --record the game and its turns come from the file")
    number = recorded.line or 1
    record = _record(path, number)
    turns = [played.turn for played in record.turns]
    last = len(turns) if recorded.turn is None else recorded.turn
    if last > len(turns):
        raise BadInputError(
            f"diagram: the game in line {number} of {path} has {len(turns)} turns, not {last}"
        )
    try:
        position = play_turns(record.game, turns[:last])
    except (BadInputError, ValueError) as error:
        raise BadInputError(f"diagram: {path}:{number}: {error}") from None
    return Shown(position, tuple(parse_turn(turn) for turn in turns[:last]))


def _record(path: Path, number: int) -> GameRecord:
    """Return the record in line `number` of a file. Raises BadInputError if there is none."""
    line, count = None, 0
    try:
        with path.open(encoding="utf-8") as lines:
            for count, text in enumerate(lines, start=1):
                if count == number:
                    line = text
                    break
    except OSError as error:
        raise BadInputError(f"diagram: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInputError(f"diagram: {path} is not UTF-8 text") from None
    if line is None:
        raise BadInputError(f"diagram: {path} has {count} lines, and no line {number}")
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise BadInputError(f"diagram: {path}:{number}: not a JSON object")
        return GameRecord.from_json(value)
    except RecordError as error:
        raise BadInputError(f"diagram: {path}:{number}: {error}") from None
    except (ValueError, RecursionError):
        raise BadInputError(f"diagram: {path}:{number}: not JSON") from None


def _heat(path: Path | None, position: Position) -> Heat | None:
    """Return the values of a heat map, if any. Raises BadInputError if they cannot be read."""
    if path is None:
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInputError(f"diagram: cannot read {path}: {error.strerror}") from None
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
                f"diagram: {path}: the value of {vertex} is not a number: {value!r}"
            )
    return Heat(values)


def _write(output: Path | None, data: bytes) -> None:
    """Write to the file, or to standard output. Raises BadInputError if that fails."""
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise BadInputError(f"diagram: cannot write {output}: {error.strerror}") from None
