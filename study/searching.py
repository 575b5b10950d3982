"""Evaluating positions by search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from oddly.engines.catalogue import engine_class
from oddly.engines.kernels.available import has_kernel
from oddly.engines.search_engine import SearchEngine, new_searcher
from oddly.games.colour import Colour
from oddly.games.drop_level import DropPosition
from oddly.games.turns import PASS, Swap

if TYPE_CHECKING:
    from oddly.games.drop_level import Action
    from oddly.games.game import Game, Position

FALLBACK = "rave"
"""The engine that evaluates if the engine studied does not search."""

MEGABYTES = 64
MAX_PLAIN_SIMULATIONS = 100
"""Of an evaluation by the plain rules, which are too slow for more."""


def evaluator_name(engine: str) -> str:
    """Return the engine whose search evaluates in a study of `engine`.

    Raises UnknownEngineError if there is no engine of that name.
    """
    return engine if issubclass(engine_class(engine), SearchEngine) else FALLBACK


class Evaluator:
    """Evaluates positions by short searches with an engine's settings, each from an empty tree.

    Playouts run to the end of the game, so that a value is a share of games won. With `as_it_plays`
    they may be judged early, which is stronger and has a scale of its own.
    """

    def __init__(
        self, game: Game, engine: str, simulations: int, *, as_it_plays: bool = False
    ) -> None:
        player = cast("SearchEngine", engine_class(evaluator_name(engine))())
        self.simulations = simulations
        settings = player.settings(game)
        self.judges_early = as_it_plays and settings.plies >= 0
        self._settings = settings if as_it_plays else replace(settings, plies=-1)
        self._searcher = new_searcher(game, megabytes=MEGABYTES)
        player.load(game)
        self.simulated = 0
        """The simulations of the last search, which ends early where the value is proven."""

    def for_black(self, at: DropPosition, seed: int, simulations: int | None = None) -> float:
        """Return Black's expected points, 0 to 1."""
        result = at.start.result
        if result is not None:
            return 0.5 if result.winner is None else float(result.winner is Colour.BLACK)
        self._searcher.forget(seed)
        self._searcher.load(at)
        number = simulations or self.simulations
        if not has_kernel(at.start.game):
            number = min(number, MAX_PLAIN_SIMULATIONS)
        found = self._searcher.think(self._settings, simulations=number)
        self.simulated = found.simulations
        value = min(max(found.win_rate, 0.0), 1.0)
        return value if at.start.to_move is Colour.BLACK else 1 - value

    def after(
        self, at: DropPosition, action: Action, seed: int, simulations: int | None = None
    ) -> float:
        """Return the expected points, after `action`, of the player who made it."""
        value = self.for_black(at.act(action), seed, simulations)
        is_black = at.start.to_move is Colour.BLACK
        if isinstance(action, Swap):
            # The player who swaps plays the other colour from then on.
            is_black = not is_black
        return value if is_black else 1 - value

    def doing_nothing(self, position: Position, seed: int) -> float | None:
        """Return what the player to move can expect after a pass, or None if a pass is illegal."""
        if position.most_drops < 1 or not position.is_legal(PASS):
            return None
        return self.after(DropPosition(position), PASS, seed)
