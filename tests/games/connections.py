"""Virtual connections of Yodd and Xodd: two ends and the two cells that would join them."""

from oddly.games.game import Position
from oddly.games.turns import EMPTY
from tests.games.positions import joined, turns_with

Ends = tuple[str, str]
Cells = tuple[str, str]


def is_safe(position: Position, ends: Ends, cells: Cells) -> bool:
    """Whether Black can join the ends whatever White, to move, does about the two cells.

    Every legal turn that puts a stone on one of the cells is tried, stones of Black included, and
    after each every legal turn of Black with a black stone on a cell that is left.
    """
    tries = {
        str(turn): turn
        for cell in cells
        for colour in "BW"
        for turn in turns_with(position, f"{colour}{cell}")
    }
    return all(can_join(position.play(turn), ends, cells) for turn in tries.values())


def can_join(position: Position, ends: Ends, cells: Cells) -> bool:
    """Whether the ends are joined, or can be by the next turn."""
    if joined(position, *ends):
        return True
    board = position.game.board
    free = [cell for cell in cells if position.stones[board.index[cell]] == EMPTY]
    return any(
        joined(position.play(turn), *ends)
        for cell in free
        for turn in turns_with(position, f"B{cell}")
    )
