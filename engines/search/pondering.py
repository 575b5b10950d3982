"""Thinking while the opponent does."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

from oddly.games.drop_level import DropPosition

if TYPE_CHECKING:
    from oddly.engines.search.plain_searcher import PlainSearcher
    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Settings
    from oddly.games.game import Position

    AnySearcher = Searcher | PlainSearcher


class Pondering:
    """A search of the opponent's position, whose tree serves the next turn."""

    def __init__(self) -> None:
        self._stop = Event()
        self._thread: Thread | None = None

    def begin(self, searcher: AnySearcher, settings: Settings, position: Position) -> None:
        """Search until stopped, or until the position is proven."""
        self.stop()
        self._stop.clear()
        self._thread = Thread(
            target=self._run, args=(searcher, settings, position), name="pondering", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Return when nothing uses the searcher any more."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None

    def _run(self, searcher: AnySearcher, settings: Settings, position: Position) -> None:
        searcher.load(DropPosition(position))
        while not self._stop.is_set():
            if searcher.think(settings, simulations=searcher.simulations_at_a_time).is_proven:
                return
