"""Actions that the symmetry of a position makes equal: a search need look at only one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.board_symmetries import symmetries_of_position
from oddly.games import Drop

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games import Position


def has_symmetry(position: Position) -> bool:
    """Return whether any symmetry but the identity leaves a position as it is."""
    return len(symmetries_of_position(position)) > 1


def kinds_of(position: Position, actions: Iterable[int]) -> list[list[int]]:
    """Return the numbers of a turn's first actions in lists of those that are equal.

    Only drops have images; any other action is alone.
    """
    game, board = position.game, position.game.board
    symmetries = symmetries_of_position(position)
    found: dict[int, list[int]] = {}
    for number in actions:
        action, least = game.action_of(number), number
        if isinstance(action, Drop):
            cell = board.index[action.vertex]
            images = {Drop(action.colour, board.vertices[to[cell]]) for to in symmetries}
            least = min(map(game.action_number, images))
        found.setdefault(least, []).append(number)
    return list(found.values())
