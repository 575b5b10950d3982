"""The game in a file that GoGui continues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import Colour, Game, Turn, one_line
from oddly.interfaces.command_line.errors import BadInputError, refusing
from oddly.protocol import parse_turn
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oddly.game_records import KeptGame


def saved_game(command: str, path: Path, game: Game | None = None) -> KeptGame:
    """Return the game in a file; `game` has the rules if the file does not say.

    Raises BadInputError in the name of a subcommand if the file has no game, or several.
    """
    # A bridge or an engine that begins anew has no need of it.
    from oddly.game_records import read_games

    name = one_line(str(path))
    with (
        refusing(RecordError, where=f"{command}: {name}"),
        refusing(OSError, where=f"{command}: cannot read {name}"),
    ):
        games = read_games(path, game)
    if len(games) != 1:
        raise BadInputError(
            f"{command}: {name} has {len(games)} games, but only one can go on: "
            f"'oddly convert {name} --folder DIR' makes a file of each"
        )
    return games[0]


def turns_before(command: str, path: Path | None, game: Game) -> Sequence[tuple[Colour, Turn]]:
    """Return the turns of a saved game of `game`; none without a file.

    Raises BadInputError if the file has another game.
    """
    if path is None:
        return ()
    record = saved_game(command, path, game).record
    if record.game != game:
        name = one_line(str(path))
        raise BadInputError(f"{command}: {name} is a game of {record.game}, not of {game}")
    return [(played.colour, parse_turn(played.turn)) for played in record.turns]
