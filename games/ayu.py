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
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from oddly.games.ayu_units import (
    Units,
    closest_distance,
    goals_of,
    moves_of,
    unit_at,
    units_after,
    ways_of,
)
from oddly.games.board import Board, Points, indices_of, square_board
from oddly.games.game import Game, Position
from oddly.games.groups import groups_in, points_with
from oddly.games.result import Ending, Exchange, GroupCounts, Result, Status
from oddly.games.settings import LARGEST_SQUARE, check_size, setting
from oddly.games.turns import (
    EMPTY,
    SWAP,
    Colour,
    Drop,
    GameError,
    Illegality,
    IllegalTurn,
    Move,
    Swap,
    Turn,
    Vertex,
    as_turn,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from typing import NoReturn


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

    @cached_property
    def board(self) -> Board:
        """A square board."""
        return square_board(self.size)

    @property
    def variant(self) -> str:
        """`with the pie rule` if it is in force, else empty."""
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

    @property
    def action_kinds(self) -> frozenset[type]:
        """Moves and a swap, even without the pie rule, so that no action number depends on it."""
        return frozenset((Move, Swap))

    def start(self) -> AyuPosition:
        """Return the pieces in their pattern, Black to move."""
        return AyuPosition(self, bytes(map(_piece_at_start, self.board.coordinates)), turns=0)

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> AyuPosition:
        """Return the position with these pieces, without history.

        Raises GameError for a swap that cannot be open there.
        """
        start = self.start()
        if status.may_swap:
            self._check_swap(stones, to_move)
        elif to_move is Colour.BLACK and bytes(stones) == start.stones:
            return start
        return AyuPosition(self, bytes(stones), to_move, turns=1 if status.may_swap else 2)

    def _check_swap(self, stones: Sequence[int], to_move: Colour) -> None:
        """Raise GameError unless a swap is open after a first turn that led to these pieces."""
        if not (self.pie and to_move is Colour.WHITE):
            raise GameError("a swap is open only to White, on his first turn, with the pie rule")
        start = self.start()
        if all(start.play(turn).stones != bytes(stones) for turn in start.legal_turns()):
            raise GameError("a swap is open only after Black's first turn", "may_swap")

    def log10_positions(self) -> float:
        """Return log10 of the number of ways to place all pieces, with either side to move."""
        stones, cells = self.start().stones, len(self.board)
        black, white = (stones.count(colour) for colour in Colour)
        return math.log10(2 * math.comb(cells, black) * math.comb(cells - black, white))

    def score(self, counts: GroupCounts, side: Colour) -> int:
        """Return the opponent's units less the side's own: a single unit cannot move, and wins."""
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

    `turns` counts the turns played as far as the pie rule needs it: 0, 1, or 2 for any more.
    `earlier` holds the keys of the earlier positions that can occur again. Joined units stay
    joined, so no position from before a joining move is among them.
    """

    game: Ayu
    stones: bytes = field(repr=False)
    to_move: Colour = Colour.BLACK
    turns: int = 2
    earlier: frozenset[Hashable] = field(default=frozenset(), repr=False)

    @cached_property
    def units(self) -> tuple[Units, Units]:
        """Black's units and White's, each by its lowest index."""
        black, white = (
            tuple(groups_in(self.game.board, points_with(self.stones, c))) for c in Colour
        )
        return black, white

    @cached_property
    def _goals(self) -> list[Points]:
        """The points that bring each unit of the side to move closer; none at the end of a game."""
        return goals_of(self.game.board, self._own, points_with(self.stones, EMPTY))

    @property
    def _own(self) -> Units:
        return self.units[self.to_move is Colour.WHITE]

    @property
    def may_swap(self) -> bool:
        """Whether this is White's first turn and the pie rule is in force."""
        return self.turns == 1 and self.game.pie and self.to_move is Colour.WHITE

    @property
    def status(self) -> Status:
        """Whether a swap is open."""
        return Status(may_swap=self.may_swap)

    @property
    def group_counts(self) -> GroupCounts:
        """The units of each colour, singletons included."""
        black, white = self.units
        return GroupCounts(len(black), len(white))

    @cached_property
    def key(self) -> Hashable:
        """Pieces, side to move, and whether a swap is open."""
        return self.stones, self.to_move, self.may_swap

    @cached_property
    def result(self) -> Result | None:
        """A draw if the position occurred before; a win for the side to move if it has no move."""
        if self.key in self.earlier:
            return Result(None, Ending.REPETITION)
        if not any(self._goals):
            # A unit with a goal has a move: some piece of it can always leave the rest joined.
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
        if not self._destinations(origin) >> destination & 1:
            self._refuse(turn, origin, destination)
        return self._moved(origin, destination)

    def play_action(self, number: int) -> AyuPosition:
        """Return the position after the action of that number. Raises IllegalTurn."""
        number = self.game.action_numbers.checked(number)
        origin, destination = divmod(number, len(self.stones))
        is_move = origin < len(self.stones) and not self.is_over
        if is_move and self._destinations(origin) >> destination & 1:
            return self._moved(origin, destination)
        return self.play(str(self.game.action_of(number)))

    def legal_turns(self) -> Iterator[Turn]:
        """Return a swap first, where one is open, then every legal move by its origin."""
        return self.turns_without_drops()

    def actions_after(self, drops: tuple[Drop, ...]) -> list[int]:
        """Return the numbers of the legal actions, ascending; there are no drops."""
        if drops or self.is_over:
            return []
        cells = len(self.stones)
        found = [
            origin * cells + destination
            for unit, goals in zip(self._own, self._goals, strict=True)
            for origin, points in ways_of(self.game.board, unit.stones, goals)
            for destination in indices_of(points)
        ]
        return sorted(found) + [cells * cells] * self.may_swap

    @property
    def most_drops(self) -> int:
        """0: no turn drops a stone."""
        return 0

    def turns_without_drops(self) -> Iterator[Move | Swap]:
        """Return every legal turn."""
        if self.is_over:
            return iter(())
        board, first = self.game.board, (SWAP,) if self.may_swap else ()
        units = zip(self._own, self._goals, strict=True)
        return chain(first, *(moves_of(board, unit.stones, goals) for unit, goals in units))

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Return every legal turn with the units it leaves; a move changes only the mover's."""
        index, own, counts = self.game.board.index, self._own, self.group_counts
        for turn in self.turns_without_drops():
            joined = 0
            if isinstance(turn, Move):
                left, taken = 1 << index[turn.origin], 1 << index[turn.destination]
                joined = sum(1 for u in own if u.beside & taken and not u.stones & left)
            yield turn, counts.changed(self.to_move, -joined)

    def moves_from(self, origin: Vertex) -> Iterator[Move]:
        """Return every legal move of the piece on `origin`."""
        board = self.game.board
        if origin in board and not self.is_over:
            for destination in indices_of(self._destinations(board.index[origin])):
                yield Move(origin, board.vertices[destination])

    def _destinations(self, origin: int) -> Points:
        """Return where the piece on `origin` may go; nowhere, unless it is the mover's."""
        for unit, goals in zip(self._own, self._goals, strict=True):
            if unit.stones >> origin & 1:
                ways = ways_of(self.game.board, unit.stones, goals)
                return next((points for index, points in ways if index == origin), 0)
        return 0

    def _refuse(self, turn: Move, origin: int, destination: int) -> NoReturn:
        """Raise IllegalTurn for the first rule that an illegal move breaks."""
        board = self.game.board
        self._check_ends(turn, origin)
        unit = unit_at(board, self.stones, origin)
        before = closest_distance(board, self.stones, unit)
        if len(unit) == 1 and destination not in board.neighbours[origin]:
            raise IllegalTurn(
                Illegality.NOT_ADJACENT, f"{turn}: a single piece moves to an adjacent point"
            )
        after = list(self.stones)
        after[origin], after[destination] = EMPTY, self.to_move
        moved = unit_at(board, after, destination)
        if not unit - {origin} <= moved:
            raise IllegalTurn(
                Illegality.SPLITS_GROUP, f"{turn} splits the group; its pieces must stay joined"
            )
        self._check_closer(str(turn), unit, before, moved, after)
        raise AssertionError(f"{turn} breaks no rule")

    def _check_closer(
        self,
        move: str,
        unit: frozenset[int],
        before: int | None,
        moved: frozenset[int],
        after: Sequence[int],
    ) -> None:
        """Raise IllegalTurn unless a move brings its unit closer to another, or joins one."""
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

    def _moved(self, origin: int, destination: int) -> AyuPosition:
        """Return the position after a legal move."""
        side, own = self.to_move, self._own
        stones = bytearray(self.stones)
        stones[origin], stones[destination] = EMPTY, side
        units = units_after(self.game.board, own, origin, destination)
        earlier = self.earlier | {self.key} if len(units) == len(own) else frozenset()
        after = AyuPosition(self.game, bytes(stones), side.other, min(self.turns + 1, 2), earlier)
        black, white = self.units
        both = (units, white) if side is Colour.BLACK else (black, units)
        # They are known, so the property need not find them.
        after.__dict__["units"] = both
        return after

    def _swap(self) -> AyuPosition:
        if not self.game.pie:
            raise IllegalTurn(Illegality.NO_SWAP, "there is no swap: the pie rule is off")
        if not self.may_swap:
            raise IllegalTurn(Illegality.NO_SWAP, "only White's first turn may be a swap")
        return AyuPosition(self.game, self.stones, self.to_move, 2, self.earlier | {self.key})

    def _why_over(self) -> str:
        if self.key in self.earlier:
            return "this position occurred before, a draw"
        return f"{str(self.to_move).capitalize()} has no legal move and wins"
