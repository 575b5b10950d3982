"""Turns that lead to a position which was set up, for programs that know no other way there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.colour import EMPTY, Colour
from games.odd import Odd
from games.turns import PASS, Drop, Drops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.board import Board
    from games.game import Position
    from games.turns import Turn


def turns_to(position: Position) -> list[Turn] | None:
    """Legal turns from the game's start to `position`; None if none are known.

    In games of drops there are some as long as nobody has just passed. In Yodd and Xodd a stone of
    each group comes first, two groups a turn, and the others join their own group one by one, so
    that the number of groups stays odd; where it is the wrong side's turn then, White passes once.
    """
    start = position.game.start()
    if position.key == start.key:
        return []
    if not start.most_drops:
        return None
    turns = _turns_of_drops(position)
    reached = start
    for turn in turns:
        if not reached.is_legal(turn):
            return None
        reached = reached.play(turn)
    return turns if reached.key == position.key else None


def _turns_of_drops(position: Position) -> list[Turn]:
    board, stones = position.game.board, position.stones
    groups = _groups(board, stones)

    def turn(*indices: int) -> Turn:
        return Drops(tuple(Drop(Colour(stones[i]), board.vertices[i]) for i in indices))

    if isinstance(position.game, Odd):
        return [turn(index) for group in groups for index in group]
    first, *roots = (group[0] for group in groups)
    turns = [turn(first)]
    turns += [turn(*pair) for pair in zip(roots[::2], roots[1::2], strict=False)]
    turns += [turn(index) for group in groups for index in group[1:]]
    if (position.to_move is Colour.BLACK) != (len(turns) % 2 == 0):
        turns.insert(1, PASS)
    return turns


def _groups(board: Board, stones: Sequence[int]) -> list[list[int]]:
    """The indices of each group, each after the first next to an earlier one."""
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start, stone in enumerate(stones):
        if stone == EMPTY or start in seen:
            continue
        group = [start]
        for index in group:
            group += (n for n in board.neighbours[index] if stones[n] == stone and n not in group)
        seen.update(group)
        groups.append(group)
    return groups
