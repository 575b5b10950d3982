"""Compiling for an engine in a process of its own: `python -m oddly.engines.compiling WISH`.

Numba compiles in one thread of a process at a time, and keeps Python's global lock meanwhile. So
another process does what is to go on beside an engine's answers, or on a second core.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.engines.catalogue import ENGINES, create_engine
from oddly.games import GAMES, create_game, read_setting, setting_text

if TYPE_CHECKING:
    from oddly.engines.engine import Engine
    from oddly.games import Game

ROOT = Path(__file__).parents[2]
EVERYTHING = "everything"


class Compilation:
    """A process that compiles what an engine needs for a game, or one part of it."""

    def __init__(self, engine: Engine, game: Game, part: str = EVERYTHING) -> None:
        changed = {option.name: option.default for option in engine.options}
        wish = {
            "engine": engine.name,
            "options": {
                name: str(value).lower()
                for name, value in engine.values.items()
                if value != changed[name]
            },
            "game": game.name,
            "size": game.size,
            "settings": {name: setting_text(value) for name, value in game.settings.items()},
            "part": part,
        }
        paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", "oddly.engines.compiling", json.dumps(wish)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        atexit.register(self.end)

    @property
    def is_over(self) -> bool:
        """Whether the process has ended. What it could not compile is left to who needs it."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Wait for the end of the process."""
        self._process.wait()

    def end(self) -> None:
        """End the process: what it has not finished begins anew next time."""
        atexit.unregister(self.end)
        self._process.kill()
        self._process.wait()


def can_be_compiled_elsewhere(engine: Engine, game: Game) -> bool:
    """Return whether there is a compiler, and another process finds engine and game by name."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or not find_spec("numba"):
        return False
    entry = ENGINES.get(engine.name)
    is_ours = entry is not None and type(engine) is type(create_engine(engine.name))
    return is_ours and game.name in GAMES


def main(wish: str) -> None:
    """Compile what a line of JSON asks for."""
    asked = json.loads(wish)
    engine = create_engine(asked["engine"])
    for name, value in asked["options"].items():
        engine.set_option(name, value)
    settings = {
        name: read_setting(asked["game"], name, text) for name, text in asked["settings"].items()
    }
    game = create_game(asked["game"], asked["size"], settings)
    compiling: Any = engine
    gc.disable()  # looking for garbage among all that Numba makes takes an eighth of the time
    if asked["part"] == EVERYTHING:
        compiling.compile(game)
    else:
        compiling.rehearsals(game)[asked["part"]]()


if __name__ == "__main__":
    main(sys.argv[1])
