"""Loading machine code while an engine answers its first commands.

Importing Numba and loading what it compiled takes most of a second, compiling it much longer, and
no command before the first game needs it. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from hashlib import sha256
from threading import Thread
from typing import TYPE_CHECKING

from oddly.engines.kernels.cache import cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.engines.compiling import Compilation
    from oddly.games import Game


class Loading:
    """Work that begins before its result is needed."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._error: Exception | None = None
        self._postponed: Callable[[], None] | None = None
        self._again: Callable[[], None] = lambda: None
        self._beside: Compilation | None = None

    def begin(self, name: str, game: Game, load: Callable[[], None]) -> None:
        """Have `load` run, which makes the program `name` ready for `game`.

        It runs in a thread from now on. The first time on a machine it compiles, which takes long:
        then it runs in `wait`, so that who asks first who the engine is has an answer at once.
        Raises what the `load` before raised.
        """
        self.drop()
        self._again = lambda: self.begin(name, game, load)
        mark = cache_directory() / f"{name}-{_digest(game)}.loaded"
        if mark.exists():
            self._thread = Thread(target=self._run, args=(load,), name=f"loading {name}")
            self._thread.start()
            return

        def load_and_mark() -> None:
            load()
            with suppress(OSError):
                mark.touch()

        self._postponed = load_and_mark

    def goes_on_beside(self, compile_beside: Callable[[], Compilation]) -> bool:
        """Return whether the work still goes on, without waiting for it.

        What must be compiled first is compiled beside. Where that fails, `wait` will do it.
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
        """Do without work that has not begun; wait for what has. Raises what that raised."""
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
    """Return what decides whether it was compiled here, as far as that costs nothing to find."""
    switches = [os.environ.get(f"NUMBA_{name}", "") for name in ("DISABLE_JIT", "CPU_NAME")]
    words = (str(game), platform.python_version(), platform.machine(), *switches)
    return sha256("\0".join(words).encode()).hexdigest()[:16]
