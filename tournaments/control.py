"""What a run may be told while it plays: pause, go on, more or fewer games at once, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[[str], None]
    """Is told of every change, in a sentence."""

PAUSED = "paused: running games are played to their end, and no new ones begin"
RESUMED = "going on"
STOPPING = "stopping: running games are played to their end; Ctrl-C once more stops at once"
UNREADABLE = "there is no file to read how many games to play at once from"


class Control:
    """Whether games may begin, and how many may be under way at once.

    None `at_once` leaves that to the executor. `reread` finds out from a file how many it should be
    now; it raises ValueError with a sentence where that cannot be told.
    """

    def __init__(self, at_once: int | None = None, reread: Callable[[], int] | None = None) -> None:
        self.at_once = at_once
        self.paused = False
        self.stopping = False
        self._reread = reread
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Tell `listener` of changes too."""
        self._listeners.append(listener)

    def open(self, slots: int) -> None:
        """The executor is open and has so many slots: no more games than that at once, for now."""
        self.at_once = slots if self.at_once is None else min(self.at_once, slots)

    def may_begin(self, running: int) -> bool:
        """Whether a game more may begin beside the running ones."""
        return not (self.paused or self.stopping) and running < (self.at_once or 1)

    def pause_or_resume(self) -> None:
        """Begin no more games until the next call."""
        self.paused = not self.paused
        self._tell(PAUSED if self.paused else RESUMED)

    def set_at_once(self, games: int) -> None:
        """Play so many games at once, one at least; running ones are played to their end."""
        self.at_once = max(1, games)
        self._tell(f"games at once: {self.at_once}")

    def more(self) -> None:
        """One game more at once."""
        self.set_at_once((self.at_once or 0) + 1)

    def fewer(self) -> None:
        """One game less at once, one at least."""
        self.set_at_once((self.at_once or 0) - 1)

    def reread(self) -> None:
        """Play as many games at once as the file says now."""
        if self._reread is None:
            self._tell(UNREADABLE)
            return
        try:
            games = self._reread()
        except ValueError as error:
            self._tell(f"games at once: still {self.at_once}, since {error}")
        else:
            self.set_at_once(games)

    def say(self, what: str) -> None:
        """Tell the listeners a sentence about the run."""
        self._tell(what)

    def stop(self) -> None:
        """Begin no more games at all."""
        self.stopping = True
        self._tell(STOPPING)

    def _tell(self, what: str) -> None:
        for listener in self._listeners:
            listener(what)
