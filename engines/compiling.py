"""An engine that compiles what it needs, in a process of its own where that saves time.

Importing Numba and loading what it compiled takes most of a second, compiling it much longer, and
no command before the first game needs it. Nothing heavy is imported here.

Numba compiles in one thread of a process at a time, and keeps Python's global lock meanwhile. So
another process compiles while the engine answers, or on a second core.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import platform
import subprocess
import sys
from abc import abstractmethod
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from oddly.engines.engine import ENGINES, Engine, create_engine, option_text
from oddly.engines.kernels.machine_code import (
    has_kernel,
    has_marker,
    is_kept,
    leave_marker,
    tell_of_plain_rules,
)
from oddly.games import GAMES, Game, read_game, setting_text

if TYPE_CHECKING:
    from collections.abc import Callable


class CompiledEngine(Engine):
    """An engine with kernels; subclasses say in `rehearsals` what to compile."""

    def __init__(self) -> None:
        super().__init__()
        self._loading = Loading()
        self._game: Game | None = None
        self._program = ""

    @abstractmethod
    def rehearsals(self, game: Game) -> dict[str, Callable[[], None]]:
        """Return functions, by name, that call everything a game needs once, with little work.

        They share little, so that two processes compile them faster than one.
        """

    def program(self, game: Game) -> str:
        """Return the name of what is compiled for `game`, with the present options."""
        return self.name

    def prepare(self, game: Game) -> None:
        """Begin to load what playing `game` needs; what is not compiled yet is compiled later."""
        self._game = game
        self._program = self.program(game)
        if self.uses_kernel(game):
            self._loading.begin(self._program, game, lambda: self.load(game))
        else:
            self._loading.drop()
            self.load(game)

    def uses_kernel(self, game: Game) -> bool:
        """Return whether machine code plays `game`, rather than its plain rules."""
        return has_kernel(game)

    def prepare_again(self) -> None:
        """Prepare the game again if a newly set option needs another program."""
        if self._game is not None and self.program(self._game) != self._program:
            self.prepare(self._game)

    def compile(self, game: Game) -> None:
        """Compile what playing `game` needs, and make nothing else."""
        self.prepare(game)
        self._loading.wait()

    def is_compiled(self, game: Game) -> bool:
        """Return whether what playing `game` needs was compiled on this machine."""
        from oddly.engines.kernels.interface import new_state
        from oddly.engines.kernels.jit import is_warm

        return is_warm(self.program(game), new_state(game))

    def goes_on_beside(self, game: Game) -> bool:
        """Return whether compiling or loading still goes on, without waiting for it."""
        if not self.uses_kernel(game) or not can_be_compiled_by_child(self, game):
            return False
        return self._loading.goes_on_beside(lambda: Compilation(self, game))

    def load(self, game: Game) -> None:
        """Load what playing `game` needs, or compile it first; the plain rules need nothing."""
        if not has_kernel(game):
            tell_of_plain_rules(game)
        if not self.uses_kernel(game):
            return
        from oddly.engines.kernels.interface import new_state
        from oddly.engines.kernels.jit import is_warm, warm

        program, state, parts = self._program, new_state(game), self.rehearsals(game)
        first, *others = parts
        beside: list[Compilation] = []
        if not is_warm(program, state) and can_be_compiled_by_child(self, game):
            beside = [Compilation(self, game, part) for part in others]

        def run() -> None:
            parts[first]()
            for compilation in beside:
                compilation.wait()
            for part in others:
                parts[part]()

        warm(program, state, run)


class Loading:
    """Work that begins before its result is needed."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._error: Exception | None = None
        self._postponed: Callable[[], None] | None = None
        self._again: Callable[[], None] = lambda: None
        self._beside: Compilation | None = None

    def begin(self, name: str, game: Game, load: Callable[[], None]) -> None:
        """Run `load`, which makes the program `name` ready for `game`, in a thread or in `wait`.

        The first time on a machine it compiles, which takes long: then it runs in `wait`, so that a
        program that first asks for the engine's name gets an answer at once. Raises what the
        previous `load` raised.
        """
        self.drop()
        self._again = lambda: self.begin(name, game, load)
        marker = f"{name}-{_digest(game)}.loaded"
        if has_marker(marker):
            self._thread = Thread(target=self._run, args=(load,), name=f"loading {name}")
            self._thread.start()
            return

        def load_and_mark() -> None:
            load()
            leave_marker(marker)

        self._postponed = load_and_mark

    def goes_on_beside(self, compile_beside: Callable[[], Compilation]) -> bool:
        """Return whether the work still goes on, without waiting for it.

        What is not compiled yet is compiled in another process; if that fails, by `wait`.
        """
        if self._postponed is not None:
            if self._beside is None:
                self._beside = compile_beside()
            if not self._beside.is_over:
                return True
            self._beside = None
            self._again()
        return self._thread is not None and self._thread.is_alive()

    def _end_what_is_beside(self) -> None:
        if self._beside is not None:
            self._beside.end()
            self._beside = None

    def drop(self) -> None:
        """Drop work that has not begun; wait for work that has. Raises what it raised."""
        self._postponed = None
        self._end_what_is_beside()
        self.wait()

    def wait(self) -> None:
        """Wait until the work is done. Raises what `load` raised."""
        self._end_what_is_beside()
        if self._postponed is not None:
            self._postponed()
            self._postponed = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self, load: Callable[[], None]) -> None:
        try:
            load()
        except Exception as error:
            self._error = error


def _digest(game: Game) -> str:
    """Return a digest of what machine code depends on, as far as it costs nothing to find."""
    switches = [os.environ.get(f"NUMBA_{name}", "") for name in ("DISABLE_JIT", "CPU_NAME")]
    words = (str(game), platform.python_version(), platform.machine(), *switches)
    return sha256("\0".join(words).encode()).hexdigest()[:16]


ROOT = Path(__file__).parents[2]
EVERYTHING = "everything"


class Compilation:
    """A process that compiles what an engine needs for a game, or one part of it."""

    def __init__(self, engine: Engine, game: Game, part: str = EVERYTHING) -> None:
        defaults = {option.name: option.default for option in engine.options}
        wish = {
            "engine": engine.name,
            "options": {
                name: option_text(value)
                for name, value in engine.values.items()
                if value != defaults[name]
            },
            "game": game.name,
            "size": game.size,
            "settings": {name: setting_text(value) for name, value in game.settings.items()},
            "part": part,
        }
        paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", "oddly.engines.compiling", json.dumps(wish)),
            # Its input ends with this process, however that dies.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        atexit.register(self.end)

    @property
    def is_over(self) -> bool:
        """Whether the process has ended. What it could not compile is left to the engine."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Wait for the end of the process."""
        self._process.wait()

    def end(self) -> None:
        """End the process; what it has not finished starts over next time."""
        atexit.unregister(self.end)
        self._process.kill()
        self._process.communicate()


def can_be_compiled_by_child(engine: Engine, game: Game) -> bool:
    """Return whether a child finds engine, game and compiler, and we find what it compiled."""
    if not is_kept():
        return False
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or not find_spec("numba"):
        return False
    entry = ENGINES.get(engine.name)
    is_ours = entry is not None and type(engine) is type(create_engine(engine.name))
    return is_ours and game.name in GAMES


def main(wish: str) -> None:
    """Compile what a line of JSON asks for, until standard input ends."""
    Thread(target=_end_with_input, daemon=True).start()
    asked = json.loads(wish)
    engine = create_engine(asked["engine"])
    for name, value in asked["options"].items():
        engine.set_option(name, value)
    game = read_game(asked["game"], asked["size"], asked["settings"])
    # Its class is not that of this module, which runs as `__main__`.
    compiling: Any = engine
    gc.disable()  # looking for garbage among all that Numba makes takes an eighth of the time
    if asked["part"] == EVERYTHING:
        compiling.compile(game)
    else:
        compiling.rehearsals(game)[asked["part"]]()
    # Python would look for it once more as it ends.
    gc.freeze()


def _end_with_input() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
