"""Where the threads of a search stop together, so that one of them may change what all use."""

from __future__ import annotations

from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Meeting:
    """Work that is done when all threads which take part wait for it or have left."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._condition = Condition()
        self._present = self._waiting = self._rounds = 0

    def begin(self, threads: int) -> None:
        """Let that many threads take part; each calls `leave` in the end."""
        self._present, self._waiting = threads, 0

    def wait(self) -> None:
        """Return when the work is done. Raises what the work raises."""
        with self._condition:
            self._waiting += 1
            rounds = self._rounds
            self._work_if_all_wait()
            self._condition.wait_for(lambda: self._rounds != rounds)

    def leave(self) -> None:
        """Take part no longer."""
        with self._condition:
            self._present -= 1
            self._work_if_all_wait()

    def _work_if_all_wait(self) -> None:
        if 0 < self._waiting == self._present:
            try:
                self._work()
            finally:
                self._waiting = 0
                self._rounds += 1
                self._condition.notify_all()
