"""The symmetries of a board, and the actions that they make equal.

A symmetry is given as the places that the cells go to. Where a position's symmetry makes actions
equal, a search need look at only one of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oddly.games import Drop, Move

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games import Action, Board, Game, Position


Permutation = tuple[int, ...]
"""For every index of a board, the index that it goes to."""


@cache
def permutations(board: Board) -> tuple[Permutation, ...]:
    """Return every symmetry of `board`, the identity first."""
    turned, mirrored = (_hexhex if board.shape == "hexhex" else _square)(board)
    found = [tuple(range(len(board)))]
    for permutation in found:
        for generator in (turned, mirrored):
            image = tuple(generator[index] for index in permutation)
            if image not in found:
                found.append(image)
    return tuple(found)


def symmetries_of_position(position: Position) -> list[Permutation]:
    """Return every symmetry that leaves the rules and the stones alone, the identity first."""
    every = permutations(position.game.board)
    stones = position.stones
    return [
        permutation
        for permutation in (every if position.game.is_symmetric else every[:1])
        if all(stones[index] == stones[image] for index, image in enumerate(permutation))
    ]


def _hexhex(board: Board) -> tuple[Permutation, Permutation]:
    """Return a sixth of a turn and a reflection, in axial coordinates (q, r)."""
    base = board.size
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    axial = [(column - base, rank - base) for column, rank in board.coordinates]
    turned = tuple(at[-r + base, q + r + base] for q, r in axial)
    mirrored = tuple(at[r + base, q + base] for q, r in axial)
    return turned, mirrored


def _square(board: Board) -> tuple[Permutation, Permutation]:
    """Return a quarter of a turn and a reflection."""
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    turned = tuple(at[board.size + 1 - rank, column] for column, rank in board.coordinates)
    mirrored = tuple(at[rank, column] for column, rank in board.coordinates)
    return turned, mirrored


def seen(game: Game, action: Action, view: Sequence[int], is_exchanged: bool = False) -> Action:
    """Return `action` after a symmetry of the board, the colours of drops perhaps exchanged."""
    vertices, index = game.board.vertices, game.board.index
    if isinstance(action, Drop):
        colour = action.colour.other if is_exchanged else action.colour
        return Drop(colour, vertices[view[index[action.vertex]]])
    if isinstance(action, Move):
        return Move(*(vertices[view[index[end]]] for end in (action.origin, action.destination)))
    return action


def has_symmetry(position: Position) -> bool:
    """Return whether any symmetry but the identity leaves a position as it is."""
    return len(symmetries_of_position(position)) > 1


def kinds_of(position: Position, actions: Iterable[int]) -> list[list[int]]:
    """Return the numbers of a turn's first actions, in lists of equal ones.

    Only drops have images; any other action is alone.
    """
    game = position.game
    symmetries = symmetries_of_position(position)
    found: dict[int, list[int]] = {}
    for number in actions:
        action, least = game.action_of(number), number
        if isinstance(action, Drop):
            images = {seen(game, action, view) for view in symmetries}
            least = min(map(game.action_number, images))
        found.setdefault(least, []).append(number)
    return list(found.values())
