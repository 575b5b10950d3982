"""A warning where it is proved who wins a game from its start."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.game import Game


def tell_of_known_winners(games: Iterable[Game]) -> None:
    """Warn of games whose winner is proved, on standard error."""
    for game in games:
        if game.known_winner:
            print(f"oddly: {game}: {game.known_winner}", file=sys.stderr)
