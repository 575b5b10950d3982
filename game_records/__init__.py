"""Games in files: SGF, JSON Lines and lists of turns, read and written a game at a time.

Reading judges every game by the rules of `games/`. No module here prints or knows the command line.
The public names stand in `__init__.pyi`; each is imported when it is used.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
