"""Games in files: SGF, JSON Lines and lists of turns, read and written a game at a time.

Reading judges every game by the rules of `games/`. No module here prints or knows the command line.
What is named here is what other programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from game_records.formats import FORMATS, FileFormat, format_of
    from game_records.kept_game import KeptGame
    from game_records.whole_files import read_games, write_games

__all__ = [
    "FORMATS",
    "FileFormat",
    "KeptGame",
    "format_of",
    "read_games",
    "write_games",
]

_HOMES = {
    "FORMATS": "game_records.formats",
    "FileFormat": "game_records.formats",
    "KeptGame": "game_records.kept_game",
    "format_of": "game_records.formats",
    "read_games": "game_records.whole_files",
    "write_games": "game_records.whole_files",
}

__getattr__ = importer(globals(), _HOMES)
