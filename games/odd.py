"""Odd.

The rules, in the order of the code:

1. The board begins empty. Black is player 1 and starts; the players take turns.
2. A turn is one drop: a stone of either colour on an empty vertex. There is no pass.
3. The game ends when the board is full.
4. Groups of at least `min_group` stones count, of both colours together. If their number is odd
   Black wins, otherwise White.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, ClassVar

from oddly.games.board import Board, Points, Shape, make_board
from oddly.games.drop_level import drop_flags, drop_numbers, drops_on, single_drops
from oddly.games.game import Game, Position
from oddly.games.groups import Groups, members_in_order, points_with, with_stone
from oddly.games.result import Ending, Exchange, GroupCounts, Parity, Result, Status
from oddly.games.settings import check_board_size, setting
from oddly.games.turns import (
    EMPTY,
    Colour,
    Drop,
    Drops,
    GameError,
    Illegality,
    IllegalTurn,
    Pass,
    Turn,
    as_turn,
    did_you_mean,
)
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence


SHAPES: tuple[Shape, ...] = ("hexhex", "square")


@dataclass(frozen=True)
class Odd(Game):
    """Odd on either board; groups of fewer than `min_group` stones do not count.

    Raises GameError for an unknown board, and a size or number of stones out of range.
    """

    name: ClassVar[str] = "odd"
    size: int = 5
    shape: Shape = setting(
        "hexhex", name="board", label="Board", choices={"hexhex": "hexagons", "square": "squares"}
    )
    min_group: int = setting(5, label="Stones in a group that counts", unlimited=True)
    quick_size: ClassVar[int | None] = 4
    example: ClassVar[str] = "Bc3 or Wc3"
    parity: ClassVar[Parity] = Parity.WINS
    exchange: ClassVar[Exchange] = Exchange.STONES
    is_symmetric: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise GameError(
                f"unknown board {self.shape!r}: Odd is played on hexhex or square"
                + did_you_mean(self.shape, SHAPES),
                about="board",
            )
        check_board_size(self.name, self.shape, self.size)
        if self.min_group < 1:
            raise GameError(
                f"min_group {self.min_group} is too small: a group has 1 stone or more",
                about="min_group",
            )

    @cached_property
    def board(self) -> Board:
        """A board of the chosen shape."""
        return make_board(self.shape, self.size)

    @property
    def smallest_counted(self) -> int:
        """The setting `min_group`."""
        return self.min_group

    @property
    def variant(self) -> str:
        """Which groups count."""
        return f"groups of {self.min_group} or more"

    @property
    def goal(self) -> str:
        """The rules in a few sentences."""
        which = f" of {self.min_group} stones or more" if self.min_group > 1 else ""
        return (
            "A turn drops one stone of either colour (Bc3 or Wc3) until the board is full. Then "
            f"Black wins with an odd number of groups{which}, White with an even one."
        )

    @property
    def known_winner(self) -> str:
        """White wins on squares of even size, and if only groups of over half the cells count."""
        cells = len(self.board)
        if self.shape == "square" and self.size % 2 == 0:
            return "White wins by answering each stone at the opposite cell in the other colour"
        if self.min_group > (cells + 1) // 2:
            return "White wins by answering each stone with one of the other colour"
        return ""

    @property
    def turn_kinds(self) -> frozenset[type]:
        """Drops alone."""
        return frozenset((Drops,))

    @property
    def action_kinds(self) -> frozenset[type]:
        """Drops alone: each ends its turn."""
        return self.turn_kinds

    def start(self) -> OddPosition:
        """Return the empty board, Black to move."""
        return OddPosition(self, bytes(len(self.board)))

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> OddPosition:
        """Return the position with these stones. Raises GameError if it is not that side's turn."""
        dropped = len(self.board) - stones.count(EMPTY)
        if to_move is not (Colour.WHITE if dropped % 2 else Colour.BLACK):
            stones_dropped, side = counted(dropped, "stone"), str(to_move.other).capitalize()
            raise GameError(f"with {stones_dropped} on the board it is {side}'s turn")
        return OddPosition(self, bytes(stones), to_move)

    def score(self, counts: GroupCounts, side: Colour) -> int:
        """Return 1 if the number of counted groups has the side's parity, else 0."""
        return int((counts.total % 2 == 1) == (side is Colour.BLACK))

    def log10_positions(self) -> float:
        """Return log10 of the board's fillings: the number of stones tells whose turn it is."""
        return len(self.board) * math.log10(3)

    def opening_to(self, position: Position) -> Sequence[Turn]:
        """Return a turn for each stone, group by group; any order would do."""
        groups = members_in_order(self.board, position.stones)
        return [drops_on(position, [index]) for group in groups for index in group]


@dataclass(frozen=True, eq=False)
class OddPosition(Position):
    """A position of Odd: the stones and whose turn it is."""

    game: Odd
    stones: bytes = field(repr=False)
    to_move: Colour = Colour.BLACK

    @cached_property
    def groups(self) -> Groups:
        """The groups, found on demand: the rules count them only at the end."""
        return Groups.of(self.game.board, self.stones)

    @property
    def group_counts(self) -> GroupCounts:
        """The groups of at least `min_group` stones, per colour."""
        return self.groups.of_size(self.game.min_group)

    @property
    def key(self) -> Hashable:
        """Stones and side to move."""
        return self.stones, self.to_move

    @property
    def most_drops(self) -> int:
        """1: a turn is one drop."""
        return 1

    @property
    def result(self) -> Result | None:
        """On a full board: Black wins with an odd number of groups that count."""
        if EMPTY in self.stones:
            return None
        winner = Colour.BLACK if self.group_counts.total % 2 == 1 else Colour.WHITE
        return Result(winner, Ending.BOARD_FULL)

    def play(self, turn: Turn | str) -> OddPosition:
        """Return the position after `turn`. Raises IllegalTurn with the reason."""
        turn = as_turn(turn)
        if EMPTY not in self.stones:
            raise IllegalTurn(Illegality.GAME_OVER, "the game is over: the board is full")
        if not isinstance(turn, Drops):
            raise IllegalTurn(
                Illegality.WRONG_KIND, f"{turn} is not a turn of Odd: drop one stone, never pass"
            )
        if len(turn.drops) != 1:
            raise IllegalTurn(
                Illegality.DROP_COUNT, f"a turn is exactly one drop; these are {len(turn.drops)}"
            )
        (drop,) = turn.drops
        index = self.game.board.empty_index(drop.vertex, self.stones)
        return OddPosition(
            self.game, with_stone(self.stones, index, drop.colour), self.to_move.other
        )

    def play_action(self, number: int) -> OddPosition:
        """Return the position after the drop of that number. Raises IllegalTurn."""
        return self.play(single_drops(self.game.board)[self.game.action_numbers.checked(number)])

    def group_counts_with(self, drops: Sequence[Drop]) -> GroupCounts:
        """Return the groups of at least `min_group` stones, per colour, with these drops made."""
        return self.groups.with_drops(drops).of_size(self.game.min_group)

    def turns_without_drops(self) -> Iterator[Pass]:
        """Return none: every turn is a drop."""
        return iter(())

    def legal_turns(self) -> Iterator[Turn]:
        """Return a drop of either colour on every empty vertex."""
        empty = points_with(self.stones, EMPTY)
        return compress(single_drops(self.game.board), drop_flags(len(self.stones), empty, empty))

    def actions_after(self, drops: tuple[Drop, ...]) -> list[int]:
        """Return the numbers of the legal actions; none after a drop, which ends its turn."""
        empty = points_with(self.stones, EMPTY)
        return [] if drops else drop_numbers(len(self.stones), empty, empty)

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Return every legal turn with the group counts it leaves, without playing them out."""
        counts, turns = self.group_counts, single_drops(self.game.board)
        touched = {colour: self.groups.touched(colour) for colour in Colour}
        for index in self.groups.empty():
            for place, colour in enumerate(Colour):
                change = self._change(touched[colour][index])
                yield turns[2 * index + place], counts.changed(colour, change)

    def _change(self, touched: set[Points]) -> int:
        """Return how a drop that joins these groups changes the number of counted groups."""
        joined, least = [group.bit_count() for group in touched], self.game.min_group
        return (1 + sum(joined) >= least) - sum(stones >= least for stones in joined)
