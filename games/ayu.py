"""Ayu.

The rules, in the order of the code:

1. The board is square with an odd number of points per side, and starts full of single pieces in
   a pattern: Black on b, d, f, ... of the odd ranks, White on a, c, e, ... of the even ranks.
   Black starts; the players take turns.
2. A unit is a singleton or a group: a set of adjacent pieces of one colour. A turn either moves a
   friendly singleton to an adjacent empty point, or takes a piece of a friendly group and puts it
   on another empty point adjacent to that group. The pieces of a group must still be joined after
   the move.
3. The distance between two units is the number of empty points on the shortest path of adjacent
   empty points between them. Every move must reduce the distance between the moved unit and the
   friendly unit closest to it; joining one makes it zero.
4. A player who has no legal move on his turn wins.
5. A position that occurs again with the same player to move is a draw.
6. With the pie rule, White may `swap` on his first turn instead of moving: the players exchange
   colours, the pieces stay where they are, and White is still to move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from oddly.games.board import square_board
from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import GameError, Illegality, IllegalTurn
from oddly.games.game import Exchange, Game, Position, Status
from oddly.games.groups import closest_distance, unit_at, units
from oddly.games.result import Ending, GroupCounts, Result
from oddly.games.settings import LARGEST_SQUARE, check_size, setting
from oddly.games.turns import SWAP, Move, Swap, as_turn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from oddly.games.board import Board
    from oddly.games.turns import Turn, Vertex


@dataclass(frozen=True)
class Ayu(Game):
    """Ayu on a square board of odd `size`, with the pie rule if `pie`.

    Raises GameError for any other size.
    """

    name: ClassVar[str] = "ayu"
    size: int = 11
    pie: bool = setting(False, label="Pie rule", choices={"false": "no", "true": "White may swap"})
    quick_size: ClassVar[int | None] = 7
    example: ClassVar[str] = "d4-d5"
    counted: ClassVar[str] = "unit"
    stuck: ClassVar[str] = "has no legal move: none brings its unit closer to another"
    turns_per_cell: ClassVar[float] = 0.67
    exchange: ClassVar[Exchange] = Exchange.PLAYERS
    is_symmetric: ClassVar[bool] = True
    mirrors: ClassVar[tuple[str, ...]] = ("diagonal", "antidiagonal", "turn")

    def __post_init__(self) -> None:
        check_size(self.name, self.size, 3, LARGEST_SQUARE, "square board of odd size")
        if self.size % 2 == 0:
            raise GameError(
                f"unacceptable size {self.size}: Ayu is played on a square board of odd size "
                f"from 3 to {LARGEST_SQUARE}",
                about="size",
            )

    @property
    def board(self) -> Board:
        """A square board."""
        return square_board(self.size)

    @property
    def variant(self) -> str:
        """Whether the pie rule is in force."""
        return "with the pie rule" if self.pie else ""

    @property
    def goal(self) -> str:
        """The rules in a few sentences."""
        return (
            "A turn moves a piece (d4-d5) so that its unit gets closer to its closest friendly "
            "unit. A player who is to move and cannot wins."
        )

    @property
    def turn_kinds(self) -> frozenset[type]:
        """Moves, and with the pie rule a swap."""
        return frozenset((Move, Swap) if self.pie else (Move,))

    def start(self) -> AyuPosition:
        """Return the pieces in their pattern, Black to move."""
        return AyuPosition(self, tuple(map(_piece_at_start, self.board.coordinates)), turns=0)

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> AyuPosition:
        """Return the position with these pieces and no past. Raises GameError for a wrong swap."""
        start = self.start()
        if to_move is Colour.BLACK and tuple(stones) == start.stones:
            return start
        if status.may_swap and not (self.pie and to_move is Colour.WHITE):
            raise GameError("a swap is open only to White, on his first turn, with the pie rule")
        return AyuPosition(self, tuple(stones), to_move, turns=1 if status.may_swap else 2)

    def log10_positions(self) -> float:
        """Return the ways to place the pieces, never captured, with either side to move."""
        stones, cells = self.start().stones, len(self.board)
        black, white = (stones.count(colour) for colour in Colour)
        return math.log10(2 * math.comb(cells, black) * math.comb(cells - black, white))

    def score(self, counts: GroupCounts, side: Colour) -> int:
        """Return the opponent's units less one's own: who has one unit cannot move, and wins."""
        return counts.lead(side)


def _piece_at_start(point: tuple[int, int]) -> int:
    column, rank = point
    if column % 2 == 0 and rank % 2 == 1:
        return Colour.BLACK
    if column % 2 == 1 and rank % 2 == 0:
        return Colour.WHITE
    return EMPTY


@dataclass(frozen=True, eq=False)
class AyuPosition(Position):
    """A position of Ayu.

    `turns` counts the turns played, as far as the pie rule asks: 0, 1, or 2 for any later one.
    `earlier` holds the keys of the positions before this one.
    """

    game: Ayu
    stones: tuple[int, ...] = field(repr=False)
    to_move: Colour = Colour.BLACK
    turns: int = 2
    earlier: frozenset[Hashable] = field(default=frozenset(), repr=False)

    @property
    def may_swap(self) -> bool:
        """Whether this is White's first turn and the pie rule is in force."""
        return self.game.pie and self.turns == 1 and self.to_move is Colour.WHITE

    @property
    def status(self) -> Status:
        """Whether a swap is open."""
        return Status(may_swap=self.may_swap)

    @property
    def group_counts(self) -> GroupCounts:
        """The units of each colour, singletons included."""
        return GroupCounts(*(len(units(self.game.board, self.stones, c)) for c in Colour))

    @cached_property
    def key(self) -> Hashable:
        """Pieces, side to move, and whether a swap is open."""
        return bytes(self.stones), self.to_move, self.may_swap

    @cached_property
    def result(self) -> Result | None:
        """A draw if the position occurred before; a win for a side to move that cannot."""
        if self.key in self.earlier:
            return Result(None, Ending.REPETITION)
        if next(self._moves(), None) is None:
            return Result(self.to_move, Ending.NO_MOVES)
        return None

    def play(self, turn: Turn | str) -> AyuPosition:
        """Return the position after `turn`. Raises IllegalTurn with the reason."""
        turn = as_turn(turn)
        if self.is_over:
            raise IllegalTurn(Illegality.GAME_OVER, f"the game is over: {self._why_over()}")
        if isinstance(turn, Swap):
            return self._swap()
        if not isinstance(turn, Move):
            raise IllegalTurn(
                Illegality.WRONG_KIND, f"{turn} is not a turn of Ayu: move a piece, as in d4-d5"
            )
        origin, destination = map(self.game.board.index_of, (turn.origin, turn.destination))
        self._check_ends(turn, origin)
        unit = unit_at(self.game.board, self.stones, origin)
        before = closest_distance(self.game.board, self.stones, unit)
        return self._next(self._move(unit, before, origin, destination), self.to_move.other)

    def legal_turns(self) -> Iterator[Turn]:
        """Swap first, then every legal move by its origin."""
        return self.turns_without_drops()

    @property
    def most_drops(self) -> int:
        """None."""
        return 0

    def turns_without_drops(self) -> Iterator[Move | Swap]:
        """Return every legal turn."""
        if self.may_swap and not self.is_over:
            yield SWAP
        if not self.is_over:
            yield from (move for move, _ in self._moves())

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Return every legal turn with the units it leaves; a move changes one's own alone."""
        board, side, counts = self.game.board, self.to_move, self.group_counts
        own = len(units(board, self.stones, side))
        if self.may_swap and not self.is_over:
            yield SWAP, counts
        if not self.is_over:
            for move, pieces in self._moves():
                yield move, counts.changed(side, len(units(board, pieces, side)) - own)

    def moves_from(self, origin: Vertex) -> Iterator[Move]:
        """Return every legal move of the piece on `origin`: next to its unit, if anywhere."""
        index = self.game.board.index[origin]
        if self.stones[index] != self.to_move or self.is_over:
            return
        unit = unit_at(self.game.board, self.stones, index)
        for destination in sorted(self._reach(unit, index)):
            move = Move(origin, self.game.board.vertices[destination])
            if self.is_legal(move):
                yield move

    def movable(self) -> frozenset[Vertex]:
        """Return the vertices whose pieces have a legal move."""
        own = self.vertices_with(self.to_move)
        return frozenset(v for v in own if next(self.moves_from(v), None) is not None)

    def _moves(self) -> Iterator[tuple[Move, tuple[int, ...]]]:
        """Every legal move of the side to move, with the pieces after it."""
        board = self.game.board
        for unit in units(board, self.stones, self.to_move):
            before = closest_distance(board, self.stones, unit)
            for origin in sorted(unit) if before is not None else ():
                for destination in sorted(self._reach(unit, origin)):
                    try:
                        after = self._move(unit, before, origin, destination)
                    except IllegalTurn:
                        continue
                    yield Move(board.vertices[origin], board.vertices[destination]), after

    def _reach(self, unit: frozenset[int], origin: int) -> set[int]:
        """The empty points next to a singleton, or next to what a group keeps."""
        rest = unit - {origin} or unit
        around = (n for index in rest for n in self.game.board.neighbours[index])
        return {n for n in around if self.stones[n] == EMPTY}

    def _move(
        self, unit: frozenset[int], before: int | None, origin: int, destination: int
    ) -> tuple[int, ...]:
        """The pieces after one of `unit`, which is `before` away, has moved. Raises IllegalTurn."""
        board = self.game.board
        move = f"{board.vertices[origin]}-{board.vertices[destination]}"
        if len(unit) == 1 and destination not in board.neighbours[origin]:
            raise IllegalTurn(
                Illegality.NOT_ADJACENT, f"{move}: a single piece moves to an adjacent point"
            )
        after = list(self.stones)
        after[origin], after[destination] = EMPTY, self.to_move
        moved = unit_at(board, after, destination)
        if not unit - {origin} <= moved:
            raise IllegalTurn(
                Illegality.SPLITS_GROUP, f"{move} splits the group; its pieces must stay joined"
            )
        self._check_closer(move, unit, before, moved, after)
        return tuple(after)

    def _check_closer(
        self,
        move: str,
        unit: frozenset[int],
        before: int | None,
        moved: frozenset[int],
        after: Sequence[int],
    ) -> None:
        if before is None:
            raise IllegalTurn(
                Illegality.NOT_CLOSER,
                f"{move} moves a unit that no path of empty points joins to a friendly one",
            )
        if len(moved) > len(unit):
            return
        now = closest_distance(self.game.board, after, moved)
        if now is None or now >= before:
            away = "out of reach" if now is None else f"{now} away"
            raise IllegalTurn(
                Illegality.NOT_CLOSER,
                f"{move} does not get closer: the closest friendly unit is {before} away "
                f"and would be {away}",
            )

    def _check_ends(self, turn: Move, origin: int) -> None:
        """Raise IllegalTurn unless a friendly piece goes to an empty point."""
        if self.stones[origin] == EMPTY:
            raise IllegalTurn(Illegality.NO_PIECE, f"there is no piece on {turn.origin}")
        if self.stones[origin] != self.to_move:
            side = str(self.to_move).capitalize()
            raise IllegalTurn(
                Illegality.WRONG_PIECE,
                f"the piece on {turn.origin} is {self.to_move.other}; {side} is to move",
            )
        self.game.board.empty_index(turn.destination, self.stones)

    def _swap(self) -> AyuPosition:
        if not self.game.pie:
            raise IllegalTurn(Illegality.NO_SWAP, "there is no swap: the pie rule is off")
        if not self.may_swap:
            raise IllegalTurn(Illegality.NO_SWAP, "only White's first turn may be a swap")
        return self._next(self.stones, self.to_move)

    def _next(self, pieces: tuple[int, ...], to_move: Colour) -> AyuPosition:
        turns = min(self.turns + 1, 2)
        return AyuPosition(self.game, pieces, to_move, turns, self.earlier | {self.key})

    def _why_over(self) -> str:
        if self.key in self.earlier:
            return "this position occurred before, a draw"
        return f"{str(self.to_move).capitalize()} has no legal move and wins"
