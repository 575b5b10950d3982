"""Our games for other projects. Each adapter needs its project, an extra of the same name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oddly.games import Game, MissingExtraError

if TYPE_CHECKING:
    from oddly.engines import Engine


def aec_env(game: Game, render_mode: str | None = None) -> Any:
    """Return the game as an AEC environment of PettingZoo, in which agents act in turn.

    An agent acts again while its turn goes on. An illegal action loses, with a warning; a number
    outside of the action space is an AssertionError, as in PettingZoo's own games. `render_mode`:
    `ansi` for the board as text, `human` to print it, `rgb_array` for pixels. Raises
    MissingExtraError without PettingZoo, and ValueError for another `render_mode`.
    """
    return _module("pettingzoo").aec_env(game, render_mode)


def parallel_env(game: Game, render_mode: str | None = None) -> Any:
    """Return the game as a parallel environment of PettingZoo, in which all agents act at once.

    Only the action of the agent to move counts; the mask of the other permits action 0 alone. An
    illegal action loses. Raises MissingExtraError without PettingZoo, and ValueError for another
    `render_mode` than those of `aec_env`.
    """
    return _module("pettingzoo").ParallelGame(game, render_mode)


def single_player_env(
    game: Game,
    opponent: str | Engine = "greedy",
    *,
    side: str = "random",
    render_mode: str | None = None,
    **options: object,
) -> Any:
    """Return the game as a Gymnasium environment, against one of our engines or any other.

    `opponent` is the name of an engine, with its `options`, or an existing engine.
    `side` is `first`, `second` or `random`, drawn at each reset. The legal actions are in
    `info["action_mask"]`; an illegal one loses, and `info["illegal"]` names it. Each reset draws
    the opponent's seed: `reset(seed=1)` makes its games repeatable. Raises MissingExtraError
    without Gymnasium, UnknownEngineError, OptionError, and ValueError for another side or
    `render_mode`, or for the option `seed`.
    """
    return _module("gymnasium").SinglePlayerGame(game, opponent, side, render_mode, options)


def register_games() -> tuple[str, ...]:
    """Register all four games with OpenSpiel, and return their names there.

    They are `oddly_yodd`, `oddly_xodd`, `oddly_odd` and `oddly_ayu`, with the size and settings as
    parameters: `pyspiel.load_game("oddly_odd(size=3,min_group=2)")`. A second call does no harm.
    Raises MissingExtraError without OpenSpiel.
    """
    names: tuple[str, ...] = _module("open_spiel").register_games()
    return names


PROJECTS = {
    "pettingzoo": ("PettingZoo", "pettingzoo"),
    "gymnasium": ("Gymnasium", "gymnasium"),
    "open_spiel": ("OpenSpiel", "pyspiel"),
}
"""The name of each project, and the module that is there if it is installed."""


def _module(project: str) -> Any:
    """Return our module for a project. Raises MissingExtraError if that is not installed."""
    title, module = PROJECTS[project]
    try:
        import_module(module)
    except ImportError:
        feature = f"an environment for {title}"
        raise MissingExtraError(feature, project, project.replace("_", "-")) from None
    return import_module(f"oddly.learning.{project}_games")
