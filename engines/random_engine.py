"""The engine that plays any legal turn, each with the same probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.engine import Engine
from oddly.games import random_turn

if TYPE_CHECKING:
    from oddly.games import Position, Turn


class RandomEngine(Engine):
    """Uniform over the legal turns."""

    name = "random"

    def choose(self, position: Position) -> Turn:
        """Return a uniformly random legal turn."""
        return random_turn(position, self.random)
