"""Environments for learning programs: many games at once, and adapters to other projects.

`BatchEnvironment` plays many games on the kernels, with observations, masks and rewards as NumPy
arrays. `observation` shows one position in the same way, and `symmetries` turns observations with
the board. `OneGame` plays one game by the plain rules. The adapters serve other projects: `aec_env`
and `parallel_env` for PettingZoo, `single_player_env` for Gymnasium, `register_games` for
OpenSpiel. Start with `batch.py`, or with `one_game.py` for the adapters.

An action is a number everywhere. On n points, which `game.board.vertices` has in order, a drop is
2 * point + 0 for black or 1 for white, a pass 2n and the end of a turn 2n + 1; in Ayu a move is
origin * n + destination and a swap n * n. `game.action_of(number)` returns the action. The public
names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
