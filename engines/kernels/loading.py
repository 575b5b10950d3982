"""Loading machine code while an engine answers its first commands.

Importing Numba and loading what it compiled takes most of a second, and is needed by no command
before the first turn. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from hashlib import sha256
from threading import Thread
from typing import TYPE_CHECKING

from engines.kernels.cache import cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.game import Game


class Loading:
    """Work that begins before its result is needed."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._error: Exception | None = None

    def begin(self, name: str, game: Game, load: Callable[[], None]) -> None:
        """Run `load`, which makes the program `name` ready for `game`.

        The first time on a machine `load` compiles, so it runs at once; later it runs in a thread.
        Raises what `load` raises, here or in `wait`.
        """
        self.wait()
        mark = cache_directory() / f"{name}-{_digest(game)}.loaded"
        if not mark.exists():
            load()
            with suppress(OSError):
                mark.touch()
            return
        self._thread = Thread(target=self._run, args=(load,), name=f"loading {name}")
        self._thread.start()

    def wait(self) -> None:
        """Wait until the work is done. Raises what `load` raised."""
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
