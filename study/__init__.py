"""Studying a game by playing it: how long, how wide, how fair and how deep it is.

`make_plan` says which games are played, `play_games` has the referee play them, `make_study`
measures them, and `files_of` writes the study as Markdown, JSON and HTML. Each measurement has its
own file, with functions from games or positions to estimates.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
