"""The turns that lead to a position, for a program that must come there too."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.game import Position
    from oddly.games.turns import Turn


def turns_of(line: Sequence[Position]) -> list[tuple[Colour, Turn]]:
    """Return the turns between successive positions, each with its player."""
    return [(before.to_move, turn_between(before, after)) for before, after in pairwise(line)]


def turn_between(before: Position, after: Position) -> Turn:
    """Return the turn that leads from `before` to `after`."""
    vertices = before.game.board.vertices
    changed = [
        (vertex, is_now)
        for vertex, was, is_now in zip(vertices, before.stones, after.stones, strict=True)
        if was != is_now
    ]
    if not changed:
        return PASS if before.most_drops else SWAP
    if before.most_drops:
        return Drops(tuple(Drop(Colour(stone), vertex) for vertex, stone in changed))
    (origin,) = (vertex for vertex, stone in changed if stone == EMPTY)
    (destination,) = (vertex for vertex, stone in changed if stone != EMPTY)
    return Move(origin, destination)


def turns_to(position: Position) -> Sequence[Turn] | None:
    """Return legal turns from the start to `position`, which was set up; None if none are known.

    Games of drops know some unless the last turn was a pass.
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
