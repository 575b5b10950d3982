"""The time by which the clocks of people run: it stands still while no server has their games."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.web.game_store import StoreError

if TYPE_CHECKING:
    from oddly.interfaces.web.game_store import GameStore


class ServedTime:
    """The seconds for which servers have had a store open. Changes of the date do not matter."""

    def __init__(self, store: GameStore) -> None:
        """Go on from what the store has. Raises StoreError."""
        self._store = store
        self._ahead = store.served() - trio.current_time()

    def now(self) -> float:
        """Return the seconds so far."""
        return trio.current_time() + self._ahead

    def keep(self) -> None:
        """Write the seconds so far; if that fails, the next time may succeed."""
        with suppress(StoreError):
            self._store.keep_served(self.now())
