"""The rules of Yodd, Xodd, Odd and Ayu in plain Python: everything else is judged by them.

The public names stand in `__init__.pyi`; each is imported when it is used.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
