"""Games action by action: numbered actions, the positions between them, and equal actions.

An *action* is a drop, the `end` of a turn that could go on, a move, a pass or a swap. A turn of two
drops is two actions. The numbers are the same in the rules, the kernels and the environments, and
never change; docs/reference/actions.md lists them for each game.

Search programs and interfaces think in drops, the rules in turns. A first drop is legal only if
some legal turn contains it, and a turn ends by itself at its last permitted drop.

Where a symmetry of the board leaves a position as it is, it makes actions equal, and a search need
look at only one of them.
"""

from __future__ import annotations

import sys
from array import array
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import compress
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from oddly.games.board import Permutation, permutations
from oddly.games.partial_turn import PartialTurn
from oddly.games.turns import (
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Illegality,
    IllegalTurn,
    Move,
    Pass,
    Swap,
    Turn,
)
from oddly.games.untrusted_text import one_line

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from oddly.games.board import Board, Points
    from oddly.games.game import Game, Position
    from oddly.games.result import Result


@dataclass(frozen=True, slots=True)
class End:
    """The end of a turn that could go on. Written `end`."""

    def __str__(self) -> str:
        return "end"


END = End()
"""The action that ends a turn which could go on."""

Action = Drop | End | Move | Pass | Swap
"""A step of a turn: one stone, a whole move, pass or swap, or the end of the turn."""


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

    def checked(self, number: SupportsIndex) -> int:
        """Return `number` as Python's int. Raises IllegalTurn if no action has it."""
        if type(number) is int and 0 <= number < self.count:
            return number
        given: object = number
        with suppress(TypeError):
            # NumPy's integers are narrow: sets of points would overflow them.
            given = plain = index(number)
            if 0 <= plain < self.count:
                return plain
        try:
            said = one_line(repr(given))
        except ValueError:
            # Python writes no longer integer.
            said = f"of more than {sys.get_int_max_str_digits()} digits"
        raise IllegalTurn(
            Illegality.WRONG_KIND,
            f"there is no action {said}: expected a number from 0 to {self.count - 1}",
        )

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


class DropPosition(PartialTurn):
    """A position that may lie inside a turn: where the turn began and its drops so far."""

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same position of an equal game, whatever turns led there."""
        if not isinstance(other, DropPosition):
            return NotImplemented
        return self.start.game == other.start.game and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def game(self) -> Game:
        """The rules and settings this position belongs to."""
        return self.start.game

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.start.is_over

    @property
    def result(self) -> Result | None:
        """How the game ended, or None while it goes on."""
        return self.start.result

    @property
    def key(self) -> Hashable:
        """Equal iff the positions are the same: stones, side to move, and drops made this turn.

        With drops, a game that remembers more has the same key only after an equal start.
        """
        if not self.drops:
            return self.start.key, 0
        if self.start.drops_leave_only_stones:
            return (self.stones, self.to_move), len(self.drops)
        return self.start.key, frozenset(self.drops)

    def actions(self) -> Iterator[Action]:
        """Return every legal action once."""
        numbers = self.start.game.action_numbers
        legal = self.start.actions_after(self.drops)
        for number in legal:
            if number >= numbers.first_other:
                yield numbers.action_of(number)
        if numbers.first_other == numbers.first_move:
            drops = numbers.drops
            yield from [drops[number] for number in legal if number < numbers.first_move]
        else:
            yield from (numbers.action_of(each) for each in legal if each < numbers.first_other)

    def legal_actions(self) -> list[int]:
        """Return the numbers of the legal actions, ascending; none once the game is over."""
        return self.start.actions_after(self.drops)

    def action_mask(self) -> array[int]:
        """Return 1 for each legal action and 0 for each other, by their numbers."""
        return mask_of(self.start.game, self.legal_actions())

    def play_action(self, number: int) -> Position | DropPosition:
        """Return the position after the action of that number. Raises IllegalTurn."""
        after = self.act(self.start.game.action_of(number))
        return after if after.drops else after.start

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from oddly.games.drawing.svg import notebook_svg

        return notebook_svg(self)

    def turn_with(self, action: Action) -> Turn:
        """Return the turn that `action` ends, made of the drops so far."""
        if isinstance(action, Drop):
            return Drops((*self.drops, action))
        return Drops(self.drops) if isinstance(action, End) else action

    def act(self, action: Action) -> DropPosition:
        """Return the position after `action`. Raises IllegalTurn with the reason."""
        if isinstance(action, End):
            return DropPosition(self.end())
        if not isinstance(action, Drop):
            if self.drops:
                raise IllegalTurn(Illegality.WRONG_KIND, f"{action} inside a turn: drop or end")
            return DropPosition(self.start.play(action))
        after = DropPosition(self.start, (*self.drops, action))
        if after.is_full:
            return DropPosition(after.end())
        if not after.can_be_completed:
            after.end()
            raise IllegalTurn(Illegality.PARITY, f"no legal turn contains {action}")
        return after


def listed_actions(position: Position, drops: tuple[Drop, ...]) -> list[int]:
    """Return the numbers of the legal actions after these drops, ascending.

    They are found by looking through the turns that contain them: right for any game, if slow.
    """
    at, found = PartialTurn(position, drops), list[Action]()
    if drops:
        if at.can_end:
            found.append(END)
        found += at.next_drops()
    elif not position.is_over:
        found += position.turns_without_drops()
        if position.most_drops:
            found += at.next_drops()
    return sorted(map(position.game.action_number, found))


def mask_of(game: Game, legal: list[int]) -> array[int]:
    """Return an array of signed bytes with 1 for each of these actions, else 0."""
    mask = array("b", bytes(game.action_count))
    for number in legal:
        mask[number] = 1
    return mask


def actions_of(position: Position, turn: Turn) -> list[Action]:
    """Return the actions of a turn: its drops and its end if it could go on, or the turn itself."""
    if not isinstance(turn, Drops):
        return [turn]
    ends = len(turn.drops) < position.most_drops
    return [*turn.drops, *([END] if ends else [])]


def drops_on(position: Position, indices: Sequence[int]) -> Drops:
    """Return the turn that drops the stones on those indices of a position."""
    vertices, stones = position.game.board.vertices, position.stones
    return Drops(tuple(Drop(Colour(stones[index]), vertices[index]) for index in indices))


def seen(game: Game, action: Action, view: Sequence[int], is_exchanged: bool = False) -> Action:
    """Return `action` after a symmetry of the board, the colours of drops perhaps exchanged."""
    vertices, index = game.board.vertices, game.board.index
    if isinstance(action, Drop):
        colour = action.colour.other if is_exchanged else action.colour
        return Drop(colour, vertices[view[index[action.vertex]]])
    if isinstance(action, Move):
        return Move(*(vertices[view[index[end]]] for end in (action.origin, action.destination)))
    return action


def symmetries_of_position(position: Position) -> list[Permutation]:
    """Return every symmetry that leaves the rules and the stones alone, the identity first."""
    every = permutations(position.game.board)
    stones = position.stones
    return [
        permutation
        for permutation in (every if position.game.is_symmetric else every[:1])
        if all(stones[index] == stones[image] for index, image in enumerate(permutation))
    ]


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
