"""The control of a run, which pauses, resumes or stops it, or changes how many games it plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.justice.outcome import failure_text

if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[[str], None]
    """Receives a sentence about each change."""


PAUSED = "paused: running games are played to their end, and no new ones begin"
HELD = "no new game begins until that is fixed; running games are played to their end and wait"
RESUMED = "going on"
STOPPING = "stopping: running games are played to their end; Ctrl-C once more stops at once"
UNREADABLE = "no tournament file says how many games to play at once"


class Control:
    """The control of a run: whether games may begin, and how many may run at once.

    If `at_once` is None, the executor decides. `reread` reads the current number from a file; it
    raises ValueError with a sentence if it cannot.
    """

    def __init__(self, at_once: int | None = None, reread: Callable[[], int] | None = None) -> None:
        self.at_once = at_once
        self.paused = False
        self.stopping = False
        self.held = False
        """Whether no game may begin, because ended games cannot be recorded."""
        self._reread = reread
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` with a sentence about each change from now on."""
        self._listeners.append(listener)

    def open(self, slots: int) -> None:
        """Accept an open executor, and play no more games at once than it has slots."""
        self.at_once = slots if self.at_once is None else min(self.at_once, slots)

    def may_begin(self, running: int) -> bool:
        """Return whether another game may begin besides the `running` ones."""
        return not (self.paused or self.stopping or self.held) and running < (self.at_once or 1)

    def pause_or_resume(self) -> None:
        """Stop beginning games, or resume."""
        self.paused = not self.paused
        self.say(PAUSED if self.paused else RESUMED)

    def hold(self, reason: str) -> None:
        """Begin no more games until `release`; report why, once."""
        if not self.held:
            self.held = True
            self.say(f"{reason}: {HELD}")

    def release(self) -> None:
        """Begin games again after `hold`."""
        if self.held:
            self.held = False
            self.say(RESUMED)

    def set_at_once(self, games: int) -> None:
        """Play this many games at once, at least one; running games are played to their end."""
        self.at_once = max(1, games)
        self.say(f"games at once: {self.at_once}")

    def more(self) -> None:
        """Play one more game at once."""
        self.set_at_once((self.at_once or 0) + 1)

    def fewer(self) -> None:
        """Play one game fewer at once, at least one."""
        self.set_at_once((self.at_once or 0) - 1)

    def reread(self) -> None:
        """Play as many games at once as the file says now; report it if the file cannot be read."""
        if self._reread is None:
            self.say(UNREADABLE)
            return
        try:
            games = self._reread()
        except ValueError as error:
            self.say(f"games at once: still {self.at_once}, since {error}")
        else:
            self.set_at_once(games)

    def stop(self) -> None:
        """Begin no more games; running games are played to their end."""
        self.stopping = True
        self.say(STOPPING)

    def say(self, what: str) -> None:
        """Pass a sentence about the run to the listeners."""
        failures = []
        for listener in list(self._listeners):
            try:
                listener(what)
            except Exception as error:
                self._listeners.remove(listener)
                # A terminal that was closed is no news.
                if not isinstance(error, OSError | ValueError):
                    failures.append(failure_text(error))
        for failure in failures:
            self.say(f"a listener failed: {failure}; it is told nothing more about this run")
