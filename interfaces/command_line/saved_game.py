"""The one game of a file that GoGui goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.game_records import read_games
from oddly.games import one_line
from oddly.interfaces.command_line.errors import BadInputError
from oddly.protocol import parse_turn
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oddly.games import Colour, Game, Turn

Turns = list[tuple["Colour", "Turn"]]
"""Turns from the start of a game, each with the colour that plays it."""


def saved_game(command: str, path: Path, game: Game | None = None) -> tuple[Game, Turns]:
    """Return the game of a file with its turns; `game` is what it is of if the file does not say.

    Raises BadInputError in the name of a subcommand if the file has no game, or several.
    """
    name = one_line(str(path))
    try:
        games = read_games(path, game)
    except RecordError as error:
        raise BadInputError(f"{command}: {name}: {error}") from None
    except OSError as error:
        raise BadInputError(f"{command}: cannot read {name}: {error.strerror}") from None
    if len(games) != 1:
        raise BadInputError(
            f"{command}: {name} has {len(games)} games, and GoGui shows one: "
            f"'oddly convert {name} --folder DIR' makes a file of each"
        )
    record = games[0].record
    return record.game, [(played.colour, parse_turn(played.turn)) for played in record.turns]


def turns_before(command: str, path: Path | None, game: Game) -> Sequence[tuple[Colour, Turn]]:
    """Return the turns of a saved game of `game`; none without a file.

    Raises BadInputError if the file has another game.
    """
    if path is None:
        return ()
    saved, turns = saved_game(command, path, game)
    if saved != game:
        raise BadInputError(f"{command}: {one_line(str(path))} is a game of {saved}, not of {game}")
    return turns
