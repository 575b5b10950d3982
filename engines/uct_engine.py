"""Plain UCT: the yardstick that other engines are measured with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.search.settings import Settings
from oddly.engines.search_engine import SearchEngine
from oddly.engines.search_options import EXPANSION, EXPLORATION

if TYPE_CHECKING:
    from oddly.games import Game

TUNED_EXPLORATION = 0.25
TUNED_EXPANSION = 1


class UctEngine(SearchEngine):
    """Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006), and proven results."""

    name = "uct"

    def settings(self, game: Game) -> Settings:
        """Return the same settings for all games."""
        exploration = float(self.values[EXPLORATION.name])
        expansion = int(self.values[EXPANSION.name])
        return Settings(
            exploration=TUNED_EXPLORATION if exploration < 0 else exploration,
            equivalence=0.0,
            expansion=TUNED_EXPANSION if expansion < 0 else expansion,
        )
