"""`oddly diagram`: a position, or a recorded game at one of its turns, as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from games.diagram import draw
from games.drawing.picture import Heat, picture_of
from games.drawing.png import DEFAULT_WIDTH, NoPngError, png
from games.drawing.svg import svg
from games.drawing.trace import Trace, trace_of
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.parser import (
    BadInputError,
    add_game_arguments,
    positive,
    whole_number,
)
from interfaces.command_line.positions import (
    add_position_argument,
    names_a_diagram,
    position_from,
)
from interfaces.command_line.turns import play_turns
from protocol.notation import parse_turn
from referee.record import GameRecord, RecordError

if TYPE_CHECKING:
    import argparse

    from games.game import Position

FORMATS = ("svg", "png", "ascii")
SUFFIXES = {".svg": "svg", ".png": "png", ".txt": "ascii"}
WIDEST = 8192
LARGEST_VALUE = 1e300


class Shown(NamedTuple):
    """A position and how it came about, as far as that is known."""

    position: Position
    trace: Trace


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_arguments(parser, required=False)
    add_position_argument(parser)
    record = parser.add_argument_group("a recorded game, instead of a position")
    record.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="a file of games, a line of JSON each, as --records and 'oddly export --to jsonl' "
        "write it",
    )
    record.add_argument(
        "--line", type=positive, metavar="N", help="which game of the file (default: 1)"
    )
    record.add_argument(
        "--turn", type=whole_number, metavar="N", help="after how many turns (default: all)"
    )
    picture = parser.add_argument_group("picture")
    picture.add_argument(
        "--to", choices=FORMATS, help="by default what the name of --output ends in, or svg"
    )
    picture.add_argument(
        "--output", type=Path, metavar="FILE", help="where to (default: standard output)"
    )
    picture.add_argument(
        "--width",
        type=positive,
        default=DEFAULT_WIDTH,
        metavar="PIXELS",
        help="of a PNG (default: %(default)s)",
    )
    picture.add_argument("--caption", default="", metavar="TEXT", help="a line below the board")
    picture.add_argument(
        "--numbers", action="store_true", help="write on each stone the turn that put it there"
    )
    picture.add_argument("--no-marks", action="store_true", help="do not mark the last turn")
    picture.add_argument("--no-coordinates", action="store_true", help="leave out the labels")
    picture.add_argument(
        "--values",
        type=Path,
        metavar="FILE",
        help='a JSON object of numbers by vertex, {"c3": 0.52}, drawn as a heat map',
    )
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw the picture."""
    kind = _format(arguments)
    shown = _from_record(arguments) if arguments.record else _from_words(arguments)
    if kind == "ascii":
        _write(arguments.output, (draw(shown.position) + "\n").encode())
        return DONE
    trace = shown.trace
    if arguments.no_marks:
        trace = Trace(numbers=trace.numbers)
    picture = picture_of(
        shown.position,
        trace,
        numbers=arguments.numbers,
        caption=arguments.caption,
        heat=_heat(arguments.values, shown.position),
        coordinates=not arguments.no_coordinates,
    )
    if kind == "svg":
        _write(arguments.output, svg(picture).encode())
        return DONE
    try:
        _write(arguments.output, png(picture, arguments.width))
    except NoPngError as error:
        raise BadInputError(f"diagram: {error}") from None
    return DONE


def _format(arguments: argparse.Namespace) -> str:
    """What to write. Raises BadInputError for a PNG on a terminal and for one too wide."""
    output: Path | None = arguments.output
    by_name = SUFFIXES.get(output.suffix.lower()) if output else "svg"
    kind = str(arguments.to or by_name or "")
    if not kind:
        known = ", ".join(SUFFIXES)
        raise BadInputError(
            f"diagram: what is {str(output)!r} to be? Name it with one of {known}, or say --to"
        )
    if kind == "png" and output is None and sys.stdout.isatty():
        raise BadInputError("diagram: a PNG is nothing for a terminal; say --output FILE")
    if arguments.width > WIDEST:
        raise BadInputError(f"diagram: --width is at most {WIDEST}, not {arguments.width}")
    return kind


def _from_words(arguments: argparse.Namespace) -> Shown:
    """The position of the diagram, or after the turns, with their trace."""
    if arguments.game is None:
        raise BadInputError("diagram: --game or --record is missing")
    for option in ("line", "turn"):
        if getattr(arguments, option) is not None:
            raise BadInputError(f"diagram: --{option} goes with --record")
    position = position_from(arguments, "diagram")
    if names_a_diagram(arguments.words):
        return Shown(position, Trace())
    return Shown(position, trace_of(parse_turn(word) for word in arguments.words))


def _from_record(arguments: argparse.Namespace) -> Shown:
    """A recorded game after some of its turns."""
    path: Path = arguments.record
    given = (arguments.game, arguments.size, arguments.board, arguments.min_group)
    if any(value is not None for value in given) or arguments.pie or arguments.words:
        raise BadInputError("diagram: with --record the game and its turns come from the file")
    number = arguments.line or 1
    record = _record(path, number)
    turns = [played.turn for played in record.turns]
    last = len(turns) if arguments.turn is None else arguments.turn
    if last > len(turns):
        raise BadInputError(
            f"diagram: the game in line {number} of {path} has {len(turns)} turns, not {last}"
        )
    try:
        position = play_turns(record.game, turns[:last])
    except (BadInputError, ValueError) as error:
        raise BadInputError(f"diagram: {path}:{number}: {error}") from None
    return Shown(position, trace_of(parse_turn(turn) for turn in turns[:last]))


def _record(path: Path, number: int) -> GameRecord:
    """The record in line `number` of a file. Raises BadInputError."""
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
    """The values of a heat map. Raises BadInputError."""
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
                f"diagram: {path}: {vertex!r} is no vertex of the {position.game.board}"
            )
        if type(value) not in (int, float) or not abs(value) <= LARGEST_VALUE:
            raise BadInputError(f"diagram: {path}: the value of {vertex} is no number: {value!r}")
    return Heat(values)


def _write(output: Path | None, data: bytes) -> None:
    """Write to the file, or to standard output. Raises BadInputError."""
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise BadInputError(f"diagram: cannot write {output}: {error.strerror}") from None
