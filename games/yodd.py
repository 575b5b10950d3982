"""Yodd, and the rules that Xodd shares with it.

The rules, in the order of the code:

1. Black starts; the players take turns. A turn is a pass, one drop or two drops. A drop places a
   stone of either colour on an empty cell.
2. Black's first turn is exactly one drop.
3. A group is a connected set of stones of one colour; a single stone is a group. At the end of a
   turn the groups of both colours together must be odd in number; between two drops any number
   will do.
4. A pass is a turn too, so it needs an odd number of groups: Black cannot pass on move one.
5. Two passes in succession end the game, and nothing else does. Fewer groups win.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import compress
from typing import TYPE_CHECKING, ClassVar

from oddly.games.board import Board, Points, Shape, indices_of, make_board
from oddly.games.drop_level import drop_flags, drop_numbers, drops_on, drops_on_board, single_drops
from oddly.games.game import Game, Position
from oddly.games.groups import Groups, TurnBatch, TurnsByCounts, counts_left, members_in_order
from oddly.games.result import Ending, Exchange, GroupCounts, Parity, Result, Status
from oddly.games.settings import check_board_size
from oddly.games.turns import (
    EMPTY,
    PASS,
    Colour,
    Drop,
    Drops,
    GameError,
    Illegality,
    IllegalTurn,
    Pass,
    Turn,
    as_turn,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence


MAX_DROPS = 2
PASSES_TO_END = 2


@dataclass(frozen=True)
class Yodd(Game):
    """Yodd on a hexhex board of `size` cells per edge."""

    name: ClassVar[str] = "yodd"
    shape: ClassVar[Shape] = "hexhex"
    size: int = 8
    quick_size: ClassVar[int | None] = 5
    example: ClassVar[str] = "Bc3, Bc3,Wd4 or pass"
    parity: ClassVar[Parity] = Parity.ENDS_TURNS
    turns_per_cell: ClassVar[float] = 0.54
    exchange: ClassVar[Exchange] = Exchange.PLAYERS
    is_symmetric: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_board_size(self.name, self.shape, self.size)

    @cached_property
    def board(self) -> Board:
        """A board of the game's shape."""
        return make_board(self.shape, self.size)

    @property
    def goal(self) -> str:
        """The rules in a few sentences."""
        return (
            "A turn drops one or two stones of either colour (Bc3, or Bc3,Wd4) or passes, and must "
            "leave an odd number of groups. After two passes in a row, the player with fewer "
            "groups wins."
        )

    @property
    def turn_kinds(self) -> frozenset[type]:
        """Drops and passes."""
        return frozenset((Drops, Pass))

    def start(self) -> YoddPosition:
        """Return the empty board, Black to move."""
        return YoddPosition(self, Groups(self.board))

    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> YoddPosition:
        """Return the position with these stones. Raises GameError for an even number of groups."""
        groups = Groups.of(self.board, stones)
        if groups.total == 0 and (to_move is Colour.WHITE or status.passes):
            raise GameError("an empty board is Black's first turn, and nobody has passed")
        if groups.total and groups.total % 2 == 0:
            black, white = groups.counts
            raise GameError(
                f"{groups.total} groups, {black} black and {white} white: "
                "a turn never leaves an even number"
            )
        return YoddPosition(self, groups, to_move, status.passes)

    def score(self, counts: GroupCounts, side: Colour) -> int:
        """Return the opponent's groups less the side's own."""
        return counts.lead(side)

    def opening_to(self, position: Position) -> Sequence[Turn]:
        """Return a stone of each group, two groups a turn; then each group stone by stone.

        So the number of groups stays odd. Where it is the wrong side's turn at the end, White
        passes once.
        """
        groups = members_in_order(self.board, position.stones)
        if not groups:
            return ()
        first, *roots = (group[:1] for group in groups)
        turns: list[Turn] = [drops_on(position, first)]
        pairs = zip(roots[::2], roots[1::2], strict=False)
        turns += [drops_on(position, one + other) for one, other in pairs]
        turns += [drops_on(position, [index]) for group in groups for index in group[1:]]
        if (position.to_move is Colour.BLACK) != (len(turns) % 2 == 0):
            turns.insert(1, PASS)
        return turns


@dataclass(frozen=True, eq=False)
class YoddPosition(Position):
    """A position of Yodd or Xodd: the stones, whose turn it is, and the passes in a row."""

    game: Game
    groups: Groups = field(repr=False)
    to_move: Colour = Colour.BLACK
    passes: int = 0
    drops_leave_only_stones: ClassVar[bool] = True

    @property
    def stones(self) -> Sequence[int]:
        """What lies on each index of the board."""
        return self.groups.stones

    @property
    def group_counts(self) -> GroupCounts:
        """All groups, per colour."""
        return self.groups.counts

    @property
    def key(self) -> Hashable:
        """Stones, side to move and passes in a row."""
        return self.groups.stones, self.to_move, self.passes

    @property
    def status(self) -> Status:
        """The passes in a row."""
        return Status(passes=self.passes)

    @property
    def is_first_turn(self) -> bool:
        """Whether Black has yet to play his first turn, after which the board is never empty."""
        return self.groups.total == 0

    @property
    def most_drops(self) -> int:
        """One drop on Black's first turn, then two."""
        return 1 if self.is_first_turn else MAX_DROPS

    @property
    def result(self) -> Result | None:
        """After two passes: fewer groups win, by the difference."""
        if self.passes < PASSES_TO_END:
            return None
        black, white = self.group_counts
        winner = Colour.BLACK if black < white else Colour.WHITE
        return Result(winner, Ending.DOUBLE_PASS, abs(black - white))

    def play(self, turn: Turn | str) -> YoddPosition:
        """Return the position after `turn`. Raises IllegalTurn with the reason."""
        turn = as_turn(turn)
        if self.passes >= PASSES_TO_END:
            raise IllegalTurn(Illegality.GAME_OVER, "the game is over: both players have passed")
        if isinstance(turn, Pass):
            self._check_parity(self.groups, "a pass")
            return YoddPosition(self.game, self.groups, self.to_move.other, self.passes + 1)
        if not isinstance(turn, Drops):
            raise IllegalTurn(
                Illegality.WRONG_KIND,
                f"{turn} is not a turn of {self.game.name.capitalize()}: pass or drop stones",
            )
        self._check_number(turn)
        groups, drops = self.groups, turn.drops
        for drop, index in zip(drops, self._cells_of(drops), strict=True):
            groups = groups.with_drop(index, drop.colour)
        self._check_parity(groups, "that")
        return YoddPosition(self.game, groups, self.to_move.other)

    def legal_turns(self) -> Iterator[Turn]:
        """Yield a pass first, where it is legal, then every other turn by its lowest drop."""
        if self.is_over:
            return
        if self.groups.total % 2 == 1:
            yield PASS
        for index in self.groups.empty():
            for colour in Colour:
                yield from self._turns_from(index, colour, lowest=index + 1)

    def actions_after(self, drops: tuple[Drop, ...]) -> list[int]:
        """Return the numbers of the legal actions after these drops, ascending."""
        if self.is_over:
            return []
        groups = self.groups.with_drops(drops)
        may_end = groups.total % 2 == 1
        black, white = _making_odd(groups) if drops else self._first_points
        numbers = drop_numbers(len(groups.stones), black, white)
        if may_end:
            # A pass comes right after the drops, and an end after that.
            numbers.append(2 * len(groups.stones) + bool(drops))
        return numbers

    def may_begin_with(self, drop: Drop) -> bool:
        """Return whether a legal turn contains `drop`."""
        index = self.groups.board.index.get(drop.vertex)
        points = self._first_points[drop.colour is Colour.WHITE]
        return index is not None and not self.is_over and points >> index & 1 == 1

    @cached_property
    def _first_points(self) -> tuple[Points, Points]:
        """Where a drop of either colour is part of a legal turn.

        Alone, it must leave an odd total odd. Otherwise a second drop must correct the parity. A
        drop of the other colour does so wherever it would have without the first, which leaves that
        colour's groups unchanged.
        """
        groups = self.groups
        if self.is_first_turn:
            return groups.vacant, groups.vacant
        found = []
        for colour in Colour:
            mending, broken = groups.changing_parity(colour.other), groups.changing_parity(colour)
            if mending.bit_count() > 1:
                broken = 0
            elif mending:
                broken &= mending
            for index in indices_of(broken):
                if any(_making_odd(groups.with_drop(index, colour))):
                    broken ^= 1 << index
            found.append(groups.vacant & ~broken)
        return found[0], found[1]

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Return every legal turn with the group counts it leaves, without playing them out."""
        if self.is_over:
            return
        if self.groups.total % 2 == 1:
            yield PASS, self.groups.counts
        for index in self.groups.empty():
            for colour in Colour:
                yield from self._outcomes_from(index, colour, lowest=index + 1)

    def turns_by_counts(self) -> TurnsByCounts:
        """Return the legal turns in batches: a pass, then the turns of each lowest drop."""
        return TurnsByCounts(list(self._batches()))

    def group_counts_with(self, drops: Sequence[Drop]) -> GroupCounts:
        """Return all groups, per colour, with these drops made: legal or not."""
        return self.groups.with_drops(drops).counts

    def turns_without_drops(self) -> Iterator[Pass]:
        """Return a pass, where it is legal."""
        if self.is_legal(PASS):
            yield PASS

    def first_drops(self) -> Iterator[Drop]:
        """Return every drop that some legal turn contains, once."""
        board = self.groups.board
        if self.is_over:
            return iter(())
        return compress(drops_on_board(board), drop_flags(len(board), *self._first_points))

    def turns_with(self, drop: Drop) -> Iterator[Drops]:
        """Return every legal turn that contains `drop`, a turn of that one drop first."""
        index = self.game.board.index.get(drop.vertex)
        if index is not None and self.groups.stones[index] == EMPTY and not self.is_over:
            yield from self._turns_from(index, drop.colour, lowest=0)

    def _batches(self) -> Iterator[TurnBatch]:
        """Yield a pass, then the turns of each lowest drop."""
        if self.is_over or self.is_first_turn:
            yield TurnBatch.listed(self.outcomes())
            return
        yield TurnBatch.listed([(PASS, self.groups.counts)] if _is_odd(self.groups.counts) else [])
        for index, colour, numbers in counts_left(self.groups, _is_odd):
            yield TurnBatch(numbers, partial(self._outcomes_from, index, colour, index + 1))

    def _turns_from(self, index: int, colour: Colour, lowest: int) -> Iterator[Drops]:
        """Yield the turns with that drop: alone, and with a second at index `lowest` or above."""
        board, groups = self.groups.board, self.groups.with_drop(index, colour)
        drops, number = drops_on_board(board), 2 * index + (colour is Colour.WHITE)
        if groups.total % 2 == 1:
            yield single_drops(board)[number]
        if self.most_drops == 1:
            return
        first = drops[number]
        black, white = _making_odd(groups)
        above = -1 << max(lowest, index + 1)
        below = (1 << index) - (1 << min(lowest, index))
        for second in compress(drops, drop_flags(len(board), black & below, white & below)):
            yield Drops.in_order(second, first)
        for second in compress(drops, drop_flags(len(board), black & above, white & above)):
            yield Drops.in_order(first, second)

    def _outcomes_from(
        self, index: int, colour: Colour, lowest: int
    ) -> Iterator[tuple[Drops, GroupCounts]]:
        """Yield the turns of `_turns_from` with the group counts that they leave."""
        groups, where = self.groups.with_drop(index, colour), self.groups.board.index
        touched = {colour: groups.touched(colour) for colour in Colour}
        for turn in self._turns_from(index, colour, lowest):
            *others, last = turn.drops
            if others and last.vertex == self.groups.board.vertices[index]:
                (last,) = others
            if others:
                change = 1 - len(touched[last.colour][where[last.vertex]])
                yield turn, groups.counts.changed(last.colour, change)
            else:
                yield turn, groups.counts

    def _check_number(self, turn: Drops) -> None:
        number = len(turn.drops)
        if self.is_first_turn and number != 1:
            raise IllegalTurn(
                Illegality.FIRST_TURN,
                f"Black's first turn must be exactly one drop; these are {number}",
            )
        if not 1 <= number <= MAX_DROPS:
            raise IllegalTurn(
                Illegality.DROP_COUNT, f"a turn is one drop or two; these are {number}"
            )

    def _cells_of(self, drops: Sequence[Drop]) -> list[int]:
        """Return the index of each drop. Raises IllegalTurn unless each has its own empty cell."""
        board, stones = self.groups.board, self.groups.stones
        cells = [board.empty_index(drop.vertex, stones) for drop in drops]
        if len(drops) > 1 and drops[0].vertex == drops[1].vertex:
            raise IllegalTurn(
                Illegality.SAME_VERTEX,
                f"both drops are on {drops[0].vertex}; one cell holds one stone",
            )
        return cells

    def _check_parity(self, groups: Groups, what: str) -> None:
        if groups.total % 2 == 0:
            black, white = groups.counts
            raise IllegalTurn(
                Illegality.PARITY,
                f"{what} would leave {groups.total} groups: {black} black, {white} white; "
                "the total must be odd",
            )


def _making_odd(groups: Groups) -> tuple[Points, Points]:
    """Return where one more drop of either colour makes the number of groups odd."""
    if groups.total % 2 == 1:
        return groups.keeping_parity(Colour.BLACK), groups.keeping_parity(Colour.WHITE)
    return groups.changing_parity(Colour.BLACK), groups.changing_parity(Colour.WHITE)


def _is_odd(counts: GroupCounts) -> bool:
    return counts.total % 2 == 1
