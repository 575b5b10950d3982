"""A game in progress, as an observer sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from oddly.games.game import Position
    from oddly.referee.record import PlayedTurn


class Snapshot(NamedTuple):
    """A game just after a turn."""

    position: Position
    turns: int
    """How many turns were played, those of the opening included."""
    last: PlayedTurn
    mover: int
    """The player to move: 0 opened, whatever colour it has by now."""
    seconds_left: tuple[float, float]
    """The longest that each player's next turn may take."""


OnTurn = Callable[[Snapshot], None]
