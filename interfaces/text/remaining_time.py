"""How long the rest of some work will take, said once a minute where no bar can show it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


SECONDS_BETWEEN_ESTIMATES = 60.0


class RemainingTime:
    """Counts the steps of some work, and estimates the time for the others by the mean so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done = 0
        self._began = self._said = clock()

    def after_step(self, left: int) -> str:
        """Count a step; return the time for the `left` steps, such as `about 5 min left`.

        The text is empty if no step is left, or if the last estimate is less than a minute old.
        """
        self._done += 1
        now = self._clock()
        if left <= 0 or now - self._said < SECONDS_BETWEEN_ESTIMATES:
            return ""
        self._said = now
        # Imported late: it brings trio.
        from oddly.tournaments import spelled

        return f"about {spelled((now - self._began) / self._done * left)} left"
