"""What answers while kernels are compiled: the plain rules, within a second, and weaker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.greedy_engine import GreedyEngine
from engines.search.plain_searcher import PlainSearcher
from games.ayu import Ayu

if TYPE_CHECKING:
    from games.game import Game, Position
    from games.turns import Turn

SECONDS_AN_ACTION = 0.35
"""A turn has two actions at most, and is to take less than a second."""

NOTICE = "until the kernels are compiled, the plain rules answer: weaker, but within a second"
RULES = "plain"
"""The value of `rules` in what `analyze` reports meanwhile."""


class StandIn:
    """The plain rules of one game."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.searcher = PlainSearcher(game, seed)
        self._greedy = GreedyEngine()
        self._greedy.set_option("seed", str(seed))

    def glance(self, position: Position) -> Turn | None:
        """Return a turn, in a game of which a second is too short to search; None elsewhere."""
        return self._greedy.choose(position) if isinstance(self.game, Ayu) else None
