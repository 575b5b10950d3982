"""A turn as GoGui plays it: single taps on points, and passes.

GoGui knows only moves of one point, so people make a turn tap by tap. A `PartialTurn` is the
position where the turn began and the taps so far. It is an immutable value: a tap returns the next
one, or raises IllegalTurn with a reason that names no point.

In games of drops:

1. An empty point, as long as the turn has a stone to place, gets a tentative stone in the colour
   of the side to move; the first one only where some legal turn has a stone.
2. A tentative stone changes its colour.
3. An older stone, or a pass, ends the turn, if the position is one that a turn may leave.
4. A pass with no stone placed is a real pass, where one is legal.

In games of moves, such as Ayu, the first tap takes a piece that can move, the second says where to;
the piece again puts it back. A pass is the pie rule's swap, where one is open.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move, Pass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games.game import Position
    from oddly.games.result import GroupCounts
    from oddly.games.turns import Turn, Vertex


def begin_turn(position: Position) -> PartialTurn:
    """Return a turn without taps for the side to move in `position`."""
    return PartialDrops(position) if position.most_drops else PartialMove(position)


@dataclass(frozen=True)
class PartialTurn(ABC):
    """The position `start` and the taps of the turn that began there."""

    start: Position

    @property
    def to_move(self) -> Colour:
        """The side to move."""
        return self.start.to_move

    @property
    @abstractmethod
    def is_begun(self) -> bool:
        """Whether the turn has taps."""

    @property
    @abstractmethod
    def stones(self) -> Sequence[int]:
        """What lies on each index of the board, tentative stones included."""

    @property
    @abstractmethod
    def group_counts(self) -> GroupCounts:
        """The groups that count, per colour, tentative stones included."""

    @abstractmethod
    def tap(self, vertex: Vertex) -> PartialTurn:
        """Return the turn after a tap on `vertex`. Raises IllegalTurn if the tap is not legal."""

    @abstractmethod
    def tap_pass(self) -> PartialTurn:
        """Return the turn after a pass. Raises IllegalTurn if the pass is not legal."""

    @abstractmethod
    def _taps(self) -> Iterator[Vertex | Pass]:
        """Yield the legal taps of a game that goes on."""

    @cached_property
    def legal_taps(self) -> tuple[Vertex | Pass, ...]:
        """Points in the order of the board, then the pass; none once the game is over."""
        return () if self.start.is_over else tuple(self._taps())

    def _index(self, vertex: Vertex) -> int:
        """Return the index of `vertex`. Raises IllegalTurn off the board and after the end."""
        if self.start.is_over:
            raise IllegalTurn(Illegality.GAME_OVER, "the game is over")
        index = self.start.game.board.index.get(vertex)
        if index is None:
            raise IllegalTurn(Illegality.OFF_BOARD, f"off the {self.start.game.board}")
        return index


@dataclass(frozen=True)
class PartialDrops(PartialTurn):
    """A turn of drops."""

    drops: tuple[Drop, ...] = ()

    @property
    def is_begun(self) -> bool:
        """Whether the turn has a stone."""
        return bool(self.drops)

    @cached_property
    def stones(self) -> Sequence[int]:
        """The stones of the position and the tentative ones, by index."""
        stones = list(self.start.stones)
        for drop in self.drops:
            stones[self.start.game.board.index[drop.vertex]] = drop.colour
        return stones

    @cached_property
    def group_counts(self) -> GroupCounts:
        """The groups that count, tentative stones included, whatever their number."""
        return self.start.group_counts_with(self.drops)

    @property
    def can_end(self) -> bool:
        """Whether the stones placed make a legal turn."""
        return self.is_begun and self.start.is_legal(Drops(self.drops))

    @property
    def can_be_mended(self) -> bool:
        """Whether other colours or one more stone make a legal turn."""
        if len(self.drops) < self.start.most_drops:
            return True
        return any(
            self.start.is_legal(Drops(tuple(map(Drop, colours, self._vertices))))
            for colours in product(Colour, repeat=len(self.drops))
        )

    def tap(self, vertex: Vertex) -> PartialTurn:
        """Return the turn with one more stone or another colour, or ended. Raises IllegalTurn."""
        stone = self.start.stones[self._index(vertex)]
        if vertex in self._vertices:
            return replace(self, drops=tuple(_flipped(drop, vertex) for drop in self.drops))
        if stone != EMPTY:
            return PartialMove(self.start, vertex) if vertex in self._movable else self._end()
        if len(self.drops) >= self.start.most_drops:
            raise IllegalTurn(
                Illegality.DROP_COUNT,
                "the turn has all its stones: tap one of them to change its colour, "
                "or end the turn by a tap on an older stone or a pass",
            )
        if not self.drops and not self._may_begin(vertex):
            raise IllegalTurn(Illegality.PARITY, "no legal turn has a stone there of either colour")
        return replace(self, drops=(*self.drops, Drop(self.to_move, vertex)))

    def tap_pass(self) -> PartialTurn:
        """Return the turn ended, or a pass. Raises IllegalTurn."""
        return self._end() if self.drops else begin_turn(self.start.play(PASS))

    def _end(self) -> PartialTurn:
        if not self.drops:
            raise IllegalTurn(
                Illegality.OCCUPIED, "occupied, and there is no stone yet of a turn to end"
            )
        return begin_turn(self.start.play(Drops(self.drops)))

    @property
    def _movable(self) -> frozenset[Vertex]:
        """The pieces that may be moved instead of a drop, where a game has both."""
        if self.drops or Move not in self.start.game.turn_kinds:
            return frozenset()
        return self.start.movable()

    @property
    def _vertices(self) -> tuple[Vertex, ...]:
        return tuple(drop.vertex for drop in self.drops)

    def _may_begin(self, vertex: Vertex) -> bool:
        turns = (self.start.turns_with(Drop(colour, vertex)) for colour in Colour)
        return any(next(found, None) is not None for found in turns)

    def _taps(self) -> Iterator[Vertex | Pass]:
        open_points = self._open_points()
        older, movable = self.can_end, self._movable
        for vertex, stone in zip(self.start.game.board.vertices, self.start.stones, strict=True):
            may_be_tapped = (older or vertex in movable) if stone else vertex in open_points
            if vertex in self._vertices or may_be_tapped:
                yield vertex
        if older or (not self.drops and self.start.is_legal(PASS)):
            yield PASS

    def _open_points(self) -> frozenset[Vertex]:
        """Return the empty points that may get a stone now."""
        if len(self.drops) >= self.start.most_drops:
            return frozenset()
        board = self.start.game.board
        empty = (v for v, s in zip(board.vertices, self.stones, strict=True) if not s)
        return frozenset(empty if self.drops else filter(self._may_begin, empty))


@dataclass(frozen=True)
class PartialMove(PartialTurn):
    """A turn that moves a piece."""

    origin: Vertex | None = None

    @property
    def is_begun(self) -> bool:
        """Whether a piece is taken."""
        return self.origin is not None

    @property
    def stones(self) -> Sequence[int]:
        """The pieces, by index; the one taken up is still at its origin."""
        return self.start.stones

    @cached_property
    def group_counts(self) -> GroupCounts:
        """The units of each colour."""
        return self.start.group_counts

    @cached_property
    def destinations(self) -> tuple[Vertex, ...]:
        """The vertices where the piece that is taken up may go."""
        if self.origin is None:
            return ()
        return tuple(move.destination for move in self.start.moves_from(self.origin))

    def tap(self, vertex: Vertex) -> PartialTurn:
        """Return the turn with a piece taken up, put back or moved. Raises IllegalTurn."""
        stone = self.start.stones[self._index(vertex)]
        if vertex == self.origin:
            return begin_turn(self.start)
        if self.origin is not None:
            if stone != EMPTY and vertex not in self.destinations:
                raise IllegalTurn(
                    Illegality.OCCUPIED, "occupied: tap the piece that is taken to put it back"
                )
            return begin_turn(self.start.play(Move(self.origin, vertex)))
        if stone != self.to_move:
            what = "an empty point" if stone == EMPTY else "the opponent's piece"
            raise IllegalTurn(Illegality.NO_PIECE, f"{what}: tap the piece that is to move first")
        if next(self.start.moves_from(vertex), None) is None:
            raise IllegalTurn(Illegality.NOT_CLOSER, "that piece has no legal move")
        return replace(self, origin=vertex)

    def tap_pass(self) -> PartialTurn:
        """Return the turn after a swap or a pass. Raises IllegalTurn if neither is legal."""
        if self.start.is_over:
            raise IllegalTurn(Illegality.GAME_OVER, "the game is over")
        for turn in () if self.is_begun else (SWAP, PASS):
            if self.start.is_legal(turn):
                return begin_turn(self.start.play(turn))
        title = self.start.game.title
        raise IllegalTurn(Illegality.WRONG_KIND, f"{title} has no pass: move a piece")

    def _taps(self) -> Iterator[Vertex | Pass]:
        vertices = self.start.game.board.vertices
        if self.origin is not None:
            taps = {self.origin, *self.destinations}
            yield from (vertex for vertex in vertices if vertex in taps)
            return
        movable = self.start.movable()
        yield from (vertex for vertex in vertices if vertex in movable)
        if self.start.is_legal(SWAP) or self.start.is_legal(PASS):
            yield PASS


def _flipped(drop: Drop, vertex: Vertex) -> Drop:
    return Drop(drop.colour.other, vertex) if drop.vertex == vertex else drop


def next_tap(partial: PartialTurn, turn: Turn) -> Vertex | Pass | None:
    """Return the next tap from `partial` to a legal turn; None if the turn cannot be reached.

    Raises TypeError for another kind of turn.
    """
    if isinstance(partial, PartialMove):
        return _next_of_a_move(partial, turn)
    if isinstance(partial, PartialDrops):
        return _next_of_drops(partial, turn)
    raise TypeError(f"no way from {partial!r}")


def taps_of(position: Position, turn: Turn) -> Iterator[Vertex | Pass]:
    """Yield the taps that make a legal turn. Raises ValueError if none do."""
    partial = begin_turn(position)
    while partial.start is position:
        tap = next_tap(partial, turn)
        if tap is None:
            raise ValueError(f"no taps make {turn}")
        yield tap
        partial = tapped(partial, tap)


def tapped(partial: PartialTurn, tap: Vertex | Pass) -> PartialTurn:
    """Return the turn after a tap or a pass. Raises IllegalTurn if it is not legal."""
    return partial.tap_pass() if isinstance(tap, Pass) else partial.tap(tap)


def turn_ended_by(partial: PartialTurn, tap: Vertex | Pass) -> Turn:
    """Return the turn that a legal tap ended."""
    if isinstance(partial, PartialDrops) and partial.drops:
        return Drops(partial.drops)
    if isinstance(partial, PartialMove) and partial.origin is not None:
        return Move(partial.origin, str(tap))
    return SWAP if partial.start.is_legal(SWAP) else PASS


def turns_from(partial: PartialDrops) -> Iterator[Drops]:
    """Yield the legal turns with a stone of any colour on every tentative one."""
    points = {drop.vertex for drop in partial.drops}
    for colour in Colour:
        for turn in partial.start.turns_with(Drop(colour, partial.drops[0].vertex)):
            if points <= {drop.vertex for drop in turn.drops}:
                yield turn


def _next_of_drops(partial: PartialDrops, turn: Turn) -> Vertex | Pass | None:
    wanted = {drop.vertex: drop.colour for drop in turn.drops} if isinstance(turn, Drops) else {}
    placed = {drop.vertex: drop.colour for drop in partial.drops}
    if isinstance(turn, Move):
        return None if placed else turn.origin
    if not placed.keys() <= wanted.keys():
        return None
    for vertex, colour in wanted.items():
        if placed.get(vertex) != colour:
            return vertex
    return (_older_stone(partial) if placed else None) or PASS


def _next_of_a_move(partial: PartialMove, turn: Turn) -> Vertex | Pass:
    if not isinstance(turn, Move):
        return partial.origin or PASS
    if partial.origin is None:
        return turn.origin
    return turn.destination if partial.origin == turn.origin else partial.origin


def _older_stone(partial: PartialTurn) -> Vertex | None:
    """Return a vertex with an older stone, where a tap ends the turn without a pass."""
    stones = zip(partial.start.game.board.vertices, partial.start.stones, strict=True)
    return next((vertex for vertex, stone in stones if stone), None)
