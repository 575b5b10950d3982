"""Games in files: SGF, JSON Lines, lists of turns and the records of Abstract Play.

Games are read and written one at a time, so a file may be of any length. Reading judges every game
by the rules of `games/`. No module here prints. Only the sentences about a game that a file does
not name know the command line: they point to `--game` and `--size`.

Start with `kept_game.py`, a game between two formats, then `formats.py`, which finds a format by
name or by the ending of a file. Each format has files of its own: `sgf*.py`, `line_formats.py` and
`abstract_play_*.py`. `sgf.py` cuts an SGF file into games and parses them with sgfmill;
`sgf_reading.py` makes a game of the nodes. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
