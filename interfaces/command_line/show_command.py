"""`oddly show`: the position after some turns, drawn, or a recorded game turn by turn."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.games import draw
from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import option, options
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.game_options import TURNS, GameOptions, play_turns
from oddly.interfaces.command_line.shared_options import JSON, RecordOptions

if TYPE_CHECKING:
    from oddly.games import Position
    from oddly.referee import GameRecord


@options("A recorded game, instead of a position")
class ShownRecord(RecordOptions):
    """A recorded game in a file of any format."""

    record: Path | None = option(
        "FILE",
        "a file of games (JSON Lines, SGF, ...): its turns, with the win rate and lead that "
        "their players expected, and the last position",
    )


@command()
def run(
    *,
    game: GameOptions,
    turns: tuple[str, ...] = TURNS,
    recorded: ShownRecord,
    as_json: bool = JSON,
) -> int:
    """Print the diagram, and for a recorded game its turns."""
    if recorded.record is not None:
        if not game.is_empty or turns:
            raise BadInputError("show: with --record the game and its turns come from the file")
        record = record_in(recorded.record, recorded.line or 1)
        show_record(record, recorded.turn, as_json=as_json)
        return DONE
    if game.game is None:
        raise BadInputError("show: --game or --record is missing")
    recorded.check_unused("show")
    position = play_turns(game.create(), turns)
    print(json.dumps(position_facts(position), indent=2) if as_json else draw(position))
    return DONE


def show_record(record: GameRecord, last: int | None, *, as_json: bool) -> None:
    """Print a recorded game up to its turn `last`, None for all. Raises BadInputError."""
    from oddly.interfaces.text.tables import folded
    from oddly.interfaces.text.turn_table import record_line, turn_facts, turn_table

    if last is not None and last > len(record.turns):
        raise BadInputError(f"show: the game has {len(record.turns)} turns, not {last}")
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


def record_in(path: Path, number: int) -> GameRecord:
    """Return a game of a file; the first is number 1. Raises BadInputError if there is none."""
    # Reading files of games takes long to import.
    from oddly.game_records import FORMATS, format_of_file
    from oddly.referee import RecordError
    from oddly.safe_files import is_sqlite_file

    try:
        name = format_of_file(path)
        if name is None:
            hint = "; 'oddly export' writes its games to one" if is_sqlite_file(path) else ""
            raise BadInputError(f"show: {path} is not named like a file of games{hint}")
        with path.open("rb") as stream:
            kept = next(islice(FORMATS[name].read(stream), number - 1, None), None)
    except (RecordError, UnicodeDecodeError) as error:
        raise BadInputError(f"show: {path}: {error}") from None
    except OSError as error:
        raise BadInputError(f"show: cannot read {path}: {error.strerror}") from None
    if kept is None:
        raise BadInputError(f"show: {path} has no game {number}")
    return kept.record
