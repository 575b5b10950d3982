"""Scoring a game that has reached its limit of turns."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from oddly.games.errors import IllegalTurn
from oddly.games.turns import Pass

if TYPE_CHECKING:
    from oddly.games.colour import Colour
    from oddly.games.game import Position


class LimitResult(Enum):
    """What a game is worth that has reached its limit of turns."""

    COUNT = "count"
    """As if both players had passed, in games in which they may; a draw in others."""
    DRAW = "draw"


def count_winner(position: Position, at_limit: LimitResult) -> Colour | None:
    """Return who wins if both players pass now; None if they may not, or if it is a draw."""
    if at_limit is LimitResult.DRAW:
        return None
    try:
        while not position.is_over:
            position = position.play(Pass())
    except IllegalTurn:
        return None
    return None if position.result is None else position.result.winner
