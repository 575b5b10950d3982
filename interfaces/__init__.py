"""The ways in for people and programs: the command line, the page, the terminal, GoGui, reports.

Nothing that another interface would also need is decided here: the rules, the clocks and the
numbers come from the rooms below. `human_play/`, `text/`, `serving/` and `viewer/` hold what
several interfaces share; apart from these, only the command line imports its siblings.

Start with `command_line/main.py`, or with `human_play/game_in_progress.py` for a game that people
play. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
