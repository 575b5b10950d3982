"""Xodd: Yodd on a square board, where only orthogonal neighbours connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from games.board import square_board
from games.game import Game
from games.groups import Groups
from games.settings import check_board_size
from games.yodd import YoddPosition, set_up

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.board import Board
    from games.colour import Colour
    from games.game import Setting, Status


@dataclass(frozen=True)
class Xodd(Game):
    """Xodd on a square board of `size` points per side."""

    name: ClassVar[str] = "xodd"
    size: int = 12

    def __post_init__(self) -> None:
        check_board_size(self.name, "square", self.size)

    @property
    def board(self) -> Board:
        """A square board."""
        return square_board(self.size)

    @property
    def settings(self) -> Mapping[str, Setting]:
        """None."""
        return {}

    def start(self) -> YoddPosition:
        """The empty board, Black to move."""
        return YoddPosition(self, Groups(self.board))

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> YoddPosition:
        """The position with these stones. Raises GameError for an even number of groups."""
        return set_up(self, stones, to_move, status.passes)
