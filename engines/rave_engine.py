"""The strong engine: UCT that learns from every action of a simulation, wherever it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engines.options import Option
from engines.search.settings import Settings
from engines.search_engine import EXPANSION, EXPLORATION, SearchEngine

if TYPE_CHECKING:
    from games.game import Game

EQUIVALENCE = Option(
    "equivalence", "number", -1, -1, 1e9,
    summary="visits at which an action's own average and all-moves-as-first weigh the same, "
    "0 for none; -1: as tuned",
)  # fmt: skip
PLIES = Option(
    "plies", "integer", -2, -2, 10_000,
    summary="actions of a random game before it is judged, where the game has a judge; "
    "-1: to the end; -2: as tuned",
)  # fmt: skip

TUNED = {
    "yodd": Settings(exploration=0.0, equivalence=3000, expansion=3),
    "xodd": Settings(exploration=0.0, equivalence=3000, expansion=3),
    "odd": Settings(exploration=0.25, equivalence=3000, expansion=1),
    "ayu": Settings(exploration=0.0, equivalence=1000, expansion=1, plies=4),
}
"""Per game, what won the matches in docs/engines.md."""


class RaveEngine(SearchEngine):
    """Monte Carlo tree search with AMAF statistics (see `engines/search/simulation.py`)."""

    name = "rave"
    options: ClassVar[tuple[Option, ...]] = (*SearchEngine.options, EQUIVALENCE, PLIES)

    def settings(self, game: Game) -> Settings:
        """What is tuned for the game, where the options do not say otherwise."""
        tuned = TUNED[game.name]
        exploration = float(self.values[EXPLORATION.name])
        equivalence = float(self.values[EQUIVALENCE.name])
        expansion, plies = int(self.values[EXPANSION.name]), int(self.values[PLIES.name])
        return Settings(
            tuned.exploration if exploration < 0 else exploration,
            tuned.equivalence if equivalence < 0 else equivalence,
            tuned.expansion if expansion < 0 else expansion,
            tuned.plies if plies < -1 else plies,
        )
