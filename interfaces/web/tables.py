"""The tables of a server: each game being played takes one, for the address that opened it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.interfaces.web.bounds import gives_way
from oddly.interfaces.web.game_request import GameRequestError

if TYPE_CHECKING:
    from oddly.interfaces.web.page_game import PageGame

MAX_CLOSING = 4
"""Games that may be closing at once, for each table."""


class Tables:
    """A number of tables for the games that are open, by their ids."""

    def __init__(self, games: dict[str, PageGame], most: int) -> None:
        self._games = games
        self._most = most
        self._addresses: dict[str, str] = {}
        """Who opened a game or had it fetched, by the game's id."""
        self.closing: dict[PageGame, str] = {}
        """Games just closed, whose engines may still run, and the addresses that had them."""

    def add(self, game: PageGame, address: str) -> None:
        """Add a game of `address`."""
        self._games[game.name] = game
        self._addresses[game.name] = address

    def address_of(self, name: str) -> str:
        """Return who opened a game; empty for one that is not open."""
        return self._addresses.get(name, "")

    def make_room(self, address: str) -> None:
        """Make room for a game of `address`. Raises GameRequestError.

        The game left longest ago is put away, else one of the address with most tables.
        """
        own = sum(owner == address for owner in self.closing.values())
        if own >= self._most or len(self.closing) >= MAX_CLOSING * self._most:
            raise GameRequestError(
                "Engines of closed games are still stopping. Try again in a moment.", 503
            )
        self._clear_finished()
        taken = [game for game in self._games.values() if game.holds_table]
        if len(taken) < self._most:
            return
        left = [game for game in taken if not game.outboxes]
        spare = min(left, key=lambda game: game.left_at, default=None) or gives_way(
            {game: self._addresses[game.name] for game in taken}, address
        )
        if spare is None:
            raise GameRequestError(
                f"All {self._most} tables are taken. Close another game first.", 503
            )
        self.give_up(spare)

    def give_up(self, game: PageGame) -> None:
        """Put a game away. Its engines may run until `forget`."""
        self._games.pop(game.name, None)
        self.closing[game] = self._addresses.pop(game.name, "")
        game.close()

    def forget(self, game: PageGame) -> None:
        """Forget a game whose engines have stopped."""
        self.closing.pop(game, None)
        # It may have been fetched anew meanwhile, as another game.
        if self._games.get(game.name) is game:
            del self._games[game.name]
            self._addresses.pop(game.name, None)

    def _clear_finished(self) -> None:
        """Put away finished games that nobody watches, those left longest ago first."""
        left = [g for g in self._games.values() if not g.holds_table and not g.outboxes]
        left.sort(key=lambda game: game.left_at, reverse=True)
        for game in left[self._most :]:
            self.give_up(game)
