"""Tictac: stones in a row, on a small square board.

Black starts. A turn drops one stone of one's own colour. Who has `row` stones in a line wins; on a
full board without a line the game is a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from oddly.games import (
    EMPTY,
    Colour,
    Drop,
    Drops,
    Ending,
    Game,
    GameError,
    Illegality,
    IllegalTurn,
    Position,
    Result,
    square_board,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from oddly.games import Board, Turn

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class Tictac(Game):
    """Tictac on a square board of `size` points per side, `row` in a line to win."""

    name: ClassVar[str] = "tictac"
    size: int = 3
    row: int = 3

    def __post_init__(self) -> None:
        if not 3 <= self.row <= self.size <= 9:
            raise GameError("Tictac is played on 3x3 to 9x9, with 3 or more in a row", "size")

    @property
    def board(self) -> Board:
        """A square board."""
        return square_board(self.size)

    def start(self) -> TictacPosition:
        """The empty board, Black to move."""
        return TictacPosition(self, (EMPTY,) * len(self.board), Colour.BLACK)


@dataclass(frozen=True, eq=False)
class TictacPosition(Position):
    """A position of Tictac: the stones and whose turn it is."""

    game: Tictac
    stones: Sequence[int]
    to_move: Colour

    @property
    def key(self) -> Hashable:
        """The stones tell whose turn it is."""
        return self.stones

    @property
    def result(self) -> Result | None:
        """A win for the last player if a line is there, a draw on a full board."""
        if self._has_line(self.to_move.other):
            return Result(self.to_move.other, Ending.GOAL)
        return None if EMPTY in self.stones else Result(None, Ending.BOARD_FULL)

    def legal_turns(self) -> Iterator[Turn]:
        """A stone of one's own on every empty point."""
        if self.result is None:
            for vertex, stone in zip(self.game.board.vertices, self.stones, strict=True):
                if stone == EMPTY:
                    yield Drops((Drop(self.to_move, vertex),))

    def play(self, turn: Turn) -> TictacPosition:
        """The position after `turn`. Raises IllegalTurn with the reason."""
        if self.result is not None:
            raise IllegalTurn(Illegality.GAME_OVER, f"the game is over: {self.result}")
        if not isinstance(turn, Drops) or len(turn.drops) != 1:
            raise IllegalTurn(Illegality.WRONG_KIND, f"{turn} is not one drop")
        (drop,) = turn.drops
        if drop.colour is not self.to_move:
            raise IllegalTurn(Illegality.FORBIDDEN, f"{drop} is a stone of the opponent's")
        index = self.game.board.index.get(drop.vertex)
        if index is None:
            raise IllegalTurn(Illegality.OFF_BOARD, f"{drop.vertex} is off the board")
        if self.stones[index] != EMPTY:
            raise IllegalTurn(Illegality.OCCUPIED, f"{drop.vertex} is occupied")
        stones = (*self.stones[:index], drop.colour, *self.stones[index + 1 :])
        return TictacPosition(self.game, stones, self.to_move.other)

    def _has_line(self, colour: Colour) -> bool:
        own = {
            place
            for place, stone in zip(self.game.board.coordinates, self.stones, strict=True)
            if stone == colour
        }
        return any(
            all((x + dx * step, y + dy * step) in own for step in range(self.game.row))
            for x, y in own
            for dx, dy in DIRECTIONS
        )
