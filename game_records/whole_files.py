"""All games of a file at once, in the format that its name ends in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oddly.game_records.formats import FORMATS, format_of, format_of_file
from oddly.game_records.kept_game import KeptGame, colour_at_the_end, game_without_outcome
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.record import RecordError
from oddly.safe_files.whole_files import new_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.game_records.abstract_play_reading import Notice
    from oddly.game_records.formats import FileFormat
    from oddly.games.game import Game


def read_games(
    path: str | Path, game: Game | None = None, notice: Notice | None = None
) -> list[KeptGame]:
    """Return the games of a file, each judged by the rules.

    `game` is what a file is of that does not say so itself. `notice` is called with what a reader
    should know, a sentence at a time: where another site's rules differ from ours.

    Raises RecordError for a file of no known format and for a game that the rules contradict, and
    OSError.
    """
    format_ = _known(Path(path), format_of_file(Path(path)))
    with Path(path).open("rb") as file:
        return list(format_.read(file, game, notice))


def write_games(
    games: Iterable[KeptGame], path: str | Path, format_: FileFormat | None = None
) -> int:
    """Write games to a new file and return how many there are.

    Raises RecordError for a file of no known format and for a game that cannot be written in it,
    and FileExistsError; no file is left then.
    """
    write = (format_ or _known(Path(path), format_of(Path(path)))).writer()
    with new_file(Path(path)) as file:
        return sum(file.write(write(game)) > 0 for game in games)


def _known(path: Path, name: str | None) -> FileFormat:
    if name is None:
        endings = dict.fromkeys(s for format_ in FORMATS.values() for s in format_.suffixes)
        raise RecordError(f"the name {path.name!r} ends with none of {', '.join(endings)}")
    return FORMATS[name]


def shortened(kept: KeptGame, most: int) -> KeptGame:
    """Return the first `most` turns of a game, without a result unless it was over by then."""
    record = kept.record
    if len(record.turns) <= most:
        return kept
    turns = record.turns[:most]
    position = record.game.start()
    for played in turns:
        position = position.play(parse_turn(played.turn))
    names = {colour_at_the_end(turns, player): record.players[player] for player in (0, 1)}
    return game_without_outcome(record.game, position, turns, names)
