"""The arena: engines dial in from anywhere and play rated games, paired without rounds.

Everything here is free of input and output. What happens (a message, a broken connection, time)
goes in, and the reaction (messages to send, rows to write) comes out.

Start with `wire/`, the messages between an engine's side and the arena. The public names are in
`__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
