"""The arena: engines dial in from anywhere and play rated games, paired without rounds.

The arena itself is free of input and output. What happens (a message, a broken connection, time)
goes in, and the reaction (messages to send, rows to write) comes out. Only `store/`, its memory on
disk, and `client/`, the engine's side, do input and output.

Start with `arena.py`, which takes the events, then `play.py`, all games. `wire/` has the messages
between an engine's side and the arena. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
