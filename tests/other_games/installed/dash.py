"""Dash: runners on a square board, who take what stands in their way.

Black starts on the lowest rank, White on the highest. A turn moves one runner a step forward,
straight or diagonally, to an empty point; diagonally he may also take an opponent. Who reaches the
far rank wins, and so does who leaves the opponent without a turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from oddly.games import (
    EMPTY,
    Colour,
    Ending,
    Game,
    GameError,
    Illegality,
    IllegalTurn,
    Move,
    Position,
    Result,
    Status,
    square_board,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from oddly.games import Board, Turn


@dataclass(frozen=True)
class Dash(Game):
    """Dash on a square board of `size` points per side; `timid` runners take nobody."""

    name: ClassVar[str] = "dash"
    size: int = 4
    timid: bool = False
    mode: str = "plain"

    def __post_init__(self) -> None:
        if not 3 <= self.size <= 9:
            raise GameError(f"Dash is played on 3x3 to 9x9, not on {self.size}x{self.size}", "size")

    @property
    def board(self) -> Board:
        """A square board."""
        return square_board(self.size)

    def start(self) -> DashPosition:
        """A full rank of runners on either side."""
        middle = (EMPTY,) * (self.size * (self.size - 2))
        black, white = (Colour.BLACK,) * self.size, (Colour.WHITE,) * self.size
        return DashPosition(self, (*black, *middle, *white), Colour.BLACK)

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> DashPosition:
        """Any stones."""
        return DashPosition(self, tuple(stones), to_move)


@dataclass(frozen=True, eq=False)
class DashPosition(Position):
    """A position of Dash."""

    game: Dash
    stones: Sequence[int]
    to_move: Colour

    @property
    def key(self) -> Hashable:
        """Stones and side to move."""
        return self.stones, self.to_move

    @property
    def result(self) -> Result | None:
        """A win for the last player on the far rank, or if the next one has no turn."""
        size = self.game.size
        far = self.stones[-size:] if self.to_move is Colour.WHITE else self.stones[:size]
        last = self.to_move.other
        if last in far or not any(True for _ in self._moves()):
            return Result(last, Ending.GOAL)
        return None

    def legal_turns(self) -> Iterator[Turn]:
        """Every step of every runner."""
        return iter(()) if self.is_over else self._moves()

    def play(self, turn: Turn) -> DashPosition:
        """The position after `turn`. Raises IllegalTurn with the reason."""
        if self.is_over:
            raise IllegalTurn(Illegality.GAME_OVER, "the game is over")
        if turn not in list(self._moves()):
            raise IllegalTurn(Illegality.FORBIDDEN, f"{turn} is no step forward of your runner")
        stones = list(self.stones)
        index = self.game.board.index
        stones[index[turn.origin]] = EMPTY
        stones[index[turn.destination]] = self.to_move
        return DashPosition(self.game, tuple(stones), self.to_move.other)

    def _moves(self) -> Iterator[Move]:
        size, vertices = self.game.size, self.game.board.vertices
        step = size if self.to_move is Colour.BLACK else -size
        for origin, stone in enumerate(self.stones):
            if stone != self.to_move:
                continue
            for side in (-1, 0, 1):
                to = origin + step + side
                if 0 <= to < size * size and abs(to % size - origin % size) <= 1:
                    takes = side != 0 and self.stones[to] == self.to_move.other
                    if self.stones[to] == EMPTY or (takes and not self.game.timid):
                        yield Move(vertices[origin], vertices[to])
