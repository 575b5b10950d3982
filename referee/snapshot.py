"""What somebody who looks on sees of a game in progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from games.game import Position
    from referee.record import PlayedTurn


class Snapshot(NamedTuple):
    """A game just after a turn."""

    position: Position
    turns: int
    """How many were played, those of the opening included."""
    last: PlayedTurn
    mover: int
    """Whose turn it is now: 0 is the player who opened, whatever colour it has by now."""
    seconds_left: tuple[float, float]
    """The longest that the next turn of either player may take."""


OnTurn = Callable[[Snapshot], None]
