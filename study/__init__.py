"""Study a game by playing it: how long, wide, fair and deep it is.

`make_plan` says which games are played, `play_games` has the referee play them, `make_study`
measures them, and `files_of` makes the texts of its files: Markdown, JSON and HTML. Each
measurement has its own file, with functions from games or positions to estimates.

Start with `sections.py`, which puts every measurement in its place, and `estimates.py`, numbers
with their intervals. `document.py` holds a study and makes its files, and `summary.py` puts it into
words. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
