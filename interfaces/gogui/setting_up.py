"""Turns that lead to a position which was set up, for programs that know no other way there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.game import Position
    from games.turns import Turn


def turns_to(position: Position) -> Sequence[Turn] | None:
    """Legal turns from the game's start to `position`; None if the game knows of none.

    Games of drops know some as long as nobody has just passed.
    """
    start = position.game.start()
    if position.key == start.key:
        return []
    turns = position.game.opening_to(position)
    if turns is None:
        return None
    reached = start
    for turn in turns:
        if not reached.is_legal(turn):
            return None
        reached = reached.play(turn)
    return turns if reached.key == position.key else None
