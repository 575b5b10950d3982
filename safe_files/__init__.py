"""Files that survive a crash: bounded SQLite, and files that appear whole or not at all."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
