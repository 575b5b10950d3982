"""What all pages of an arena share: the arena, its files, its templates and its ladders."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.arena.pages.answers import FRESH, Answers
from oddly.interfaces.arena.pages.drawn import ArenaTemplates
from oddly.interfaces.arena.pages.ladder import LadderRow, ladder_of
from oddly.interfaces.arena.pages.reading import Disk
from oddly.interfaces.arena.pages.shown import SpectatedGame, finished_game, running_game
from oddly.tournaments import LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.arena.service import ArenaService

COUNT_EVERY = 60.0
"""Seconds between two updates of the indexes without a request."""
UNREADABLE = (LedgerError, sqlite3.Error)
"""Raised if a file of the arena cannot be read."""


class ArenaSite:
    """An arena as its pages see it."""

    def __init__(self, service: ArenaService) -> None:
        self.service, self.arena = service, service.arena
        settings = self.arena.settings
        self.drawn = ArenaTemplates(settings.name, settings.address)
        self.answers = Answers()
        self.disk = Disk(service.store.folder, self.arena.pools)
        self._ladders: dict[str, tuple[float, list[LadderRow]]] = {}

    @property
    def address(self) -> str:
        """The arena's public address, without a slash at the end."""
        return self.arena.settings.address

    def ladder(self, pool: str) -> Sequence[LadderRow]:
        """Return the rows of a pool, at most a second old. Raises KeyError."""
        made, rows = self._ladders.get(pool, (0.0, []))
        now = trio.current_time()
        if pool not in self._ladders or now - made > FRESH:
            rows = ladder_of(self.arena, self.arena.pools[pool])
            self._ladders[pool] = now, rows
        return rows

    async def game(self, identity: str) -> SpectatedGame | None:
        """Return a game, running or over. Raises LedgerError or sqlite3.Error."""
        running = self.arena.play.games.get(identity)
        if running is not None:
            return running_game(running, self.service.clock.now())
        found = await trio.to_thread.run_sync(self.disk.game, identity)
        return None if found is None else finished_game(identity, *found)

    async def keep_counting(self) -> None:
        """Keep the indexes up to date, so that no visitor has to wait for them."""
        while True:
            try:
                await trio.to_thread.run_sync(self.disk.count, abandon_on_cancel=True)
            except UNREADABLE:
                # The answer to such a page says so.
                pass
            await trio.sleep(COUNT_EVERY)
