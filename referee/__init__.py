"""The referee side: two engine processes, one game, and an outcome by our own rules.

The referee trusts an engine with nothing but its choice of a turn, and plays that turn on its own
position. Every wait has a deadline and every input a bound. What an engine does wrong is an
EngineFault and costs it one game; any other exception is our bug and stops the run.

The folders build on each other: `justice/`, `program/`, `conversation/`, `match/`, and on top
`check/` and `bridge/`. Start with `match/game.py`, then `conversation/player.py`. The public names
are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
