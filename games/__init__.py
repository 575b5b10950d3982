"""The rules of Yodd, Xodd, Odd and Ayu in plain Python, by which all other code is judged.

A `Game` is a frozen set of rules with its settings. A `Position` is an immutable value: `play`
returns the next position or raises IllegalTurn with the reason. Clarity comes before speed here;
`engines/kernels/` has the same rules at native speed.

Start with `game.py`, which says what every game offers, then read `xodd.py` and `yodd.py`: each
game is one file that begins with its rules. Each game's file decides who wins (`result`);
`result.py` has only the words for it. `catalogue.py` finds games by name, including those of other
packages. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
