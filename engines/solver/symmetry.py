"""The symmetries of a board and of a game's colours.

A hexhex board has 12 symmetries, a square one 8. What an exchange of all stones' colours means
depends on the game:

- Yodd, Xodd and Ayu treat the colours alike: exchanged together with the players, they give the
  same game. A position is therefore told from the mover's side, and one entry of a table stands
  for Black to move and for White to move.
- Odd asks only how many groups there are: exchanged without the players, the stones give the
  same game.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.board import Board
    from games.game import Game

Permutation = tuple[int, ...]
"""For every index of a board the index that it goes to."""


class Exchange(IntEnum):
    """What the colours of all stones may be exchanged with."""

    PLAYERS = 0
    STONES = 1


def exchange_of(game: Game) -> Exchange:
    """The exchange of colours that `game` allows."""
    return Exchange.STONES if game.name == "odd" else Exchange.PLAYERS


def permutations(board: Board) -> tuple[Permutation, ...]:
    """Every symmetry of `board`, the identity first."""
    turned, mirrored = (_hexhex if board.shape == "hexhex" else _square)(board)
    found = [tuple(range(len(board)))]
    for permutation in found:
        for generator in (turned, mirrored):
            image = tuple(generator[index] for index in permutation)
            if image not in found:
                found.append(image)
    return tuple(found)


def _hexhex(board: Board) -> tuple[Permutation, Permutation]:
    """A sixth of a turn and a reflection, in axial coordinates (q, r)."""
    base = board.size
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    axial = [(column - base, rank - base) for column, rank in board.coordinates]
    turned = tuple(at[-r + base, q + r + base] for q, r in axial)
    mirrored = tuple(at[r + base, q + base] for q, r in axial)
    return turned, mirrored


def _square(board: Board) -> tuple[Permutation, Permutation]:
    """A quarter of a turn and a reflection."""
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    turned = tuple(at[board.size + 1 - rank, column] for column, rank in board.coordinates)
    mirrored = tuple(at[rank, column] for column, rank in board.coordinates)
    return turned, mirrored
