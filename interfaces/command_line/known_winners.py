"""A warning where it is proved who wins a game from its start."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from oddly.tournaments.run.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games.game import Game
    from oddly.tournaments.run.observer import RunStart


class KnownWinners(Observer):
    """Warns, before the first game of a run, of games whose winner is proved."""

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = games

    def start(self, start: RunStart) -> None:
        """Print it on standard error."""
        if not start.is_done:
            tell_of_known_winners(self._games)


def tell_of_known_winners(games: Iterable[Game]) -> None:
    """Warn of games whose winner is proved, on standard error."""
    for game in games:
        if game.known_winner:
            print(f"oddly: {game}: {game.known_winner}", file=sys.stderr)
