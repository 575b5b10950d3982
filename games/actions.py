"""The actions of a game, numbered: programs play action by action, people turn by turn.

An *action* is a drop, the `end` of a turn that could go on, a move, a pass or a swap. A turn of two
drops is two actions. The numbers are the same in the rules, the kernels and the environments, and
never change; docs/reference/actions.md has them for each game.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move, Pass, Swap

if TYPE_CHECKING:
    from oddly.games.board import Board, Points


@dataclass(frozen=True, slots=True)
class End:
    """The end of a turn that could go on. Written `end`."""

    def __str__(self) -> str:
        return "end"


END = End()

Action = Drop | End | Move | Pass | Swap


class ActionNumbers:
    """Every action of a game on its board, by its number from 0 to `count` - 1.

    On a board of n points, in this order, for the kinds that the game has:

    - drops, 2n: twice the point's index, and one more for white;
    - moves, n * n: the origin's index times n, and the destination's index;
    - a pass, an end, a swap.

    Moves from a point to itself have numbers too, though none is ever legal.
    """

    def __init__(self, board: Board, kinds: frozenset[type]) -> None:
        self.board = board
        self.drops = drops_on_board(board) if Drops in kinds else ()
        self.first_move = len(self.drops)
        self.first_other = self.first_move + (len(board) ** 2 if Move in kinds else 0)
        others: tuple[Action, ...] = (PASS, END, SWAP)
        self._others = tuple(action for action in others if type(action) in kinds)
        self.count = self.first_other + len(self._others)

    def action_of(self, number: int) -> Action:
        """Return the action of that number. Raises IllegalTurn if there is none."""
        number = self.checked(number)
        if number < self.first_move:
            return self.drops[number]
        if number >= self.first_other:
            return self._others[number - self.first_other]
        origin, destination = divmod(number - self.first_move, len(self.board))
        return Move(self.board.vertices[origin], self.board.vertices[destination])

    def checked(self, number: int) -> int:
        """Return the number of an action. Raises IllegalTurn if no action has it."""
        if not 0 <= number < self.count:
            raise IllegalTurn(
                Illegality.WRONG_KIND,
                f"there is no action {number}: expected a number from 0 to {self.count - 1}",
            )
        return number

    def number_of(self, action: Action) -> int:
        """Return the number of an action. Raises ValueError if the game has no such action."""
        index = self.board.index
        if isinstance(action, Drop) and self.drops and action.vertex in index:
            return 2 * index[action.vertex] + (action.colour is Colour.WHITE)
        if isinstance(action, Move) and self.first_other > self.first_move:
            ends = index.get(action.origin), index.get(action.destination)
            if ends[0] is not None and ends[1] is not None:
                return self.first_move + ends[0] * len(index) + ends[1]
        if action in self._others:
            return self.first_other + self._others.index(action)
        raise ValueError(f"{action} is not an action of this game on the {self.board}")


@cache
def numbers_on(board: Board, kinds: frozenset[type]) -> ActionNumbers:
    """Return the numbers of the actions of these kinds; `Drops` stands for single drops."""
    return ActionNumbers(board, kinds)


@cache
def drops_on_board(board: Board) -> tuple[Drop, ...]:
    """Return every drop by its number. They are made once for all positions."""
    return tuple(Drop(colour, vertex) for vertex in board.vertices for colour in Colour)


@cache
def single_drops(board: Board) -> tuple[Drops, ...]:
    """Return the turn of each drop alone, by the drop's number."""
    return tuple(Drops((drop,)) for drop in drops_on_board(board))


_AS_NUMBERS = bytes.maketrans(b"01", b"\0\1")


def drop_flags(cells: int, black: Points, white: Points) -> bytearray:
    """Return, for each drop by its number, 1 if its point is in the set of its colour, else 0.

    `black` and `white` are the points of the drops of each colour, on a board of `cells` points.
    """
    flags = bytearray(2 * cells)
    flags[::2] = f"{black:0{cells}b}"[::-1].encode().translate(_AS_NUMBERS)
    flags[1::2] = f"{white:0{cells}b}"[::-1].encode().translate(_AS_NUMBERS)
    return flags


def drop_numbers(cells: int, black: Points, white: Points) -> list[int]:
    """Return the numbers of the drops of each colour on these points, ascending."""
    return list(compress(range(2 * cells), drop_flags(cells, black, white)))
