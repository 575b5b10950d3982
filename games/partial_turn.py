"""A turn that is not made yet: where it began, and its drops so far or the piece taken up.

A `PartialTurn` is an immutable value: each step returns the next one. It says what the rules make
of an unfinished turn, and permits any stone on an empty vertex. Its users decide what may come
next: engines with actions (`drop_level.py`), GoGui with taps (`tapped` below), and people with
clicks (`interfaces/human_play/game_in_progress.py`).

GoGui knows only moves of one point, so people make a turn tap by tap. A tap leads from a
`PartialTurn` to the next one, or raises IllegalTurn with a reason that names no point.

In games of drops:

1. A tap on an empty point, while the turn may have another stone, puts a tentative one there in the
   colour of the side to move; the first goes only where some legal turn has a stone.
2. A tap on a tentative stone changes its colour.
3. A tap on an older stone, or a pass, ends the turn if it is legal.
4. A pass with no stone placed is a real pass, where one is legal.

In games of moves, such as Ayu, the first tap takes up a piece that can move and the next says where
it goes; a tap on the piece itself puts it back. A pass is the pie rule's swap, where one is open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Self

from oddly.games.turns import (
    EMPTY,
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Illegality,
    IllegalTurn,
    Move,
    Pass,
    Turn,
    Vertex,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from oddly.games.game import Position
    from oddly.games.result import GroupCounts


@dataclass(frozen=True)
class PartialTurn:
    """The position `start` in which the turn began, and what has been done since.

    `drops` are the tentative stones in the order in which they were put down. `origin` is the
    vertex of the piece that is taken up.
    """

    start: Position
    drops: tuple[Drop, ...] = ()
    origin: Vertex | None = None

    @property
    def to_move(self) -> Colour:
        """The side to move."""
        return self.start.to_move

    @property
    def is_begun(self) -> bool:
        """Whether a stone is tentative or a piece is taken up."""
        return bool(self.drops) or self.origin is not None

    @property
    def takes_drops(self) -> bool:
        """Whether the turn drops stones, or may do so: no piece is taken up."""
        return self.origin is None and self.start.most_drops > 0

    @property
    def is_full(self) -> bool:
        """Whether the turn has as many stones as it may have."""
        return len(self.drops) >= self.start.most_drops

    @property
    def tentative(self) -> tuple[Vertex, ...]:
        """The vertices of the tentative stones."""
        return tuple(drop.vertex for drop in self.drops)

    @property
    def stones(self) -> bytes:
        """What lies on each index of the board, tentative stones included."""
        stones = bytearray(self.start.stones)
        for drop in self.drops:
            stones[self.start.game.board.index[drop.vertex]] = drop.colour
        return bytes(stones)

    @cached_property
    def group_counts(self) -> GroupCounts:
        """The groups that count, per colour, tentative stones included."""
        return self.start.group_counts_with(self.drops)

    @cached_property
    def can_end(self) -> bool:
        """Whether the tentative stones are a legal turn."""
        return bool(self.drops) and self.start.is_legal(Drops(self.drops))

    @property
    def fits(self) -> bool:
        """Whether the stones may lie there, each on an empty vertex, and the piece may move."""
        start = self.start
        empty = set(self.tentative) & set(start.vertices_with(EMPTY))
        return len(empty) == len(self.drops) <= start.most_drops and (
            self.origin is None or self.origin in start.movable()
        )

    @property
    def movable(self) -> Collection[Vertex]:
        """The pieces that may be taken up: none once a stone is tentative."""
        if self.drops or Move not in self.start.game.turn_kinds:
            return ()
        return self.start.movable()

    @property
    def can_be_mended(self) -> bool:
        """Whether one more stone may be put down, or other colours make a legal turn."""
        return not self.is_full or any(turn.can_end for turn in self.recoloured())

    def recoloured(self) -> Iterator[Self]:
        """Yield the turn with each choice of colours for its stones."""
        for colours in product(Colour, repeat=len(self.drops)):
            yield replace(self, drops=tuple(map(Drop, colours, self.tentative)))

    def completions(self) -> Iterator[Drops]:
        """Return every legal turn that contains the tentative stones (one or more)."""
        turns = self.start.turns_with(self.drops[0])
        if len(self.drops) == 1:
            return turns
        return (turn for turn in turns if set(self.drops) <= set(turn.drops))

    @property
    def can_be_completed(self) -> bool:
        """Whether a legal turn contains the tentative stones (one or more)."""
        if len(self.drops) == 1:
            return self.start.may_begin_with(self.drops[0])
        return next(self.completions(), None) is not None

    def next_drops(self) -> Iterator[Drop]:
        """Yield every drop that some legal turn contains besides the tentative stones, once."""
        if not self.drops:
            yield from self.start.first_drops()
            return
        seen = set(self.drops)
        for turn in self.completions():
            for drop in turn.drops:
                if drop not in seen:
                    seen.add(drop)
                    yield drop

    @cached_property
    def continuations(self) -> Mapping[Vertex, tuple[Colour, ...]]:
        """Where the next stone of a legal turn may go, and in which colours."""
        if self.start.is_over or self.is_full:
            return {}
        found: dict[Vertex, set[Colour]] = {}
        for drop in self.next_drops():
            found.setdefault(drop.vertex, set()).add(drop.colour)
        return {vertex: tuple(sorted(colours)) for vertex, colours in found.items()}

    @cached_property
    def destinations(self) -> tuple[Vertex, ...]:
        """The vertices where the piece that is taken up may go."""
        if self.origin is None:
            return ()
        return tuple(move.destination for move in self.start.moves_from(self.origin))

    def drop(self, drop: Drop) -> Self:
        """Put a stone down on an empty vertex, legal or not."""
        return replace(self, drops=(*self.drops, drop))

    def flip(self, vertex: Vertex) -> Self:
        """Change the colour of a tentative stone. Raises IllegalTurn if none lies on `vertex`."""
        flipped = Drop(self._on(vertex).colour.other, vertex)
        return replace(
            self, drops=tuple(flipped if drop.vertex == vertex else drop for drop in self.drops)
        )

    def remove(self, vertex: Vertex) -> Self:
        """Take a tentative stone back. Raises IllegalTurn if none lies on `vertex`."""
        taken = self._on(vertex)
        return replace(self, drops=tuple(drop for drop in self.drops if drop is not taken))

    def end(self) -> Position:
        """Return the position after the tentative stones. Raises IllegalTurn with the reason."""
        return self.start.play(Drops(self.drops))

    def _on(self, vertex: Vertex) -> Drop:
        for drop in self.drops:
            if drop.vertex == vertex:
                return drop
        raise IllegalTurn(Illegality.NO_PIECE, f"no stone of this turn lies on {vertex}")


def tapped(partial: PartialTurn, tap: Vertex | Pass) -> PartialTurn:
    """Return the turn after a tap on a point or a pass, or the next turn if the tap ended it.

    Raises IllegalTurn if the tap is not legal.
    """
    if isinstance(tap, Pass):
        return PartialTurn(_after_pass(partial))
    start = partial.start
    if start.is_over:
        raise IllegalTurn(Illegality.GAME_OVER, "the game is over")
    index = start.game.board.index.get(tap)
    if index is None:
        raise IllegalTurn(Illegality.OFF_BOARD, f"off the {start.game.board}")
    after_tap = _after_drop if partial.takes_drops else _after_move
    return after_tap(partial, tap, start.stones[index])


def legal_taps(partial: PartialTurn) -> tuple[Vertex | Pass, ...]:
    """Return the points in board order, then the pass; nothing once the game is over."""
    start = partial.start
    if start.is_over:
        return ()
    points = _taps_of_drops(partial) if partial.takes_drops else _taps_of_moves(partial)
    vertices = (vertex for vertex in start.game.board.vertices if vertex in points)
    return (*vertices, PASS) if _may_pass(partial) else tuple(vertices)


def taps_of(position: Position, turn: Turn) -> Iterator[Vertex | Pass]:
    """Yield the taps that make a legal turn. Raises ValueError if none do."""
    partial = PartialTurn(position)
    while partial.start is position:
        tap = next_tap(partial, turn)
        if tap is None:
            raise ValueError(f"no taps make {turn}")
        yield tap
        partial = tapped(partial, tap)


def next_tap(partial: PartialTurn, turn: Turn) -> Vertex | Pass | None:
    """Return the next tap from `partial` towards a legal turn; None if it cannot be reached."""
    if not partial.takes_drops:
        return _next_of_a_move(partial, turn)
    placed = {drop.vertex: drop.colour for drop in partial.drops}
    if isinstance(turn, Move):
        return None if placed else turn.origin
    wanted = {drop.vertex: drop.colour for drop in turn.drops} if isinstance(turn, Drops) else {}
    if not placed.keys() <= wanted.keys():
        return None
    for vertex, colour in wanted.items():
        if placed.get(vertex) != colour:
            return vertex
    # An older stone ends the turn without a pass.
    older = partial.start.vertices_with(*Colour) if placed else ()
    return older[0] if older else PASS


def turn_ended_by(partial: PartialTurn, tap: Vertex | Pass) -> Turn:
    """Return the turn that a legal tap ended."""
    if partial.drops:
        return Drops(partial.drops)
    if partial.origin is not None:
        return Move(partial.origin, str(tap))
    return SWAP if partial.start.is_legal(SWAP) else PASS


def _after_drop(partial: PartialTurn, vertex: Vertex, stone: int) -> PartialTurn:
    """Return the turn with one more stone or another colour, or ended."""
    if vertex in partial.tentative:
        return partial.flip(vertex)
    if stone != EMPTY:
        if vertex in partial.movable:
            return PartialTurn(partial.start, origin=vertex)
        if not partial.drops:
            raise IllegalTurn(
                Illegality.OCCUPIED, "occupied, and the turn has no stone yet, so it cannot end"
            )
        return PartialTurn(partial.end())
    if partial.is_full:
        raise IllegalTurn(
            Illegality.DROP_COUNT,
            "the turn has all its stones: tap one of them to change its colour, "
            "or end the turn by a tap on an older stone or a pass",
        )
    either = (partial.drop(Drop(colour, vertex)) for colour in Colour)
    if not partial.drops and not any(turn.can_be_completed for turn in either):
        raise IllegalTurn(Illegality.PARITY, "no legal turn puts a stone of either colour there")
    return partial.drop(Drop(partial.to_move, vertex))


def _after_move(partial: PartialTurn, vertex: Vertex, stone: int) -> PartialTurn:
    """Return the turn with a piece taken up, put back or moved."""
    if vertex == partial.origin:
        return PartialTurn(partial.start)
    if partial.origin is not None:
        if stone != EMPTY and vertex not in partial.destinations:
            raise IllegalTurn(
                Illegality.OCCUPIED, "occupied: tap the piece that is taken to put it back"
            )
        return PartialTurn(partial.start.play(Move(partial.origin, vertex)))
    if stone != partial.to_move:
        what = "an empty point" if stone == EMPTY else "the opponent's piece"
        raise IllegalTurn(Illegality.NO_PIECE, f"{what}: tap the piece that is to move first")
    taken = PartialTurn(partial.start, origin=vertex)
    if not taken.destinations:
        raise IllegalTurn(Illegality.NOT_CLOSER, "that piece has no legal move")
    return taken


def _after_pass(partial: PartialTurn) -> Position:
    start = partial.start
    if partial.takes_drops:
        return partial.end() if partial.drops else start.play(PASS)
    if start.is_over:
        raise IllegalTurn(Illegality.GAME_OVER, "the game is over")
    if not _may_pass(partial):
        raise IllegalTurn(Illegality.WRONG_KIND, f"{start.game.title} has no pass: move a piece")
    return start.play(turn_ended_by(partial, PASS))


def _may_pass(partial: PartialTurn) -> bool:
    """Return whether a pass, in games of moves a swap, or the end of the drops so far is legal."""
    if partial.is_begun:
        return partial.can_end
    turns: tuple[Turn, ...] = (PASS,) if partial.takes_drops else (SWAP, PASS)
    return any(map(partial.start.is_legal, turns))


def _taps_of_drops(partial: PartialTurn) -> Collection[Vertex]:
    start = partial.start
    older = set(start.vertices_with(*Colour))
    points = {*partial.tentative, *partial.movable}
    if partial.can_end:
        points |= older
    if not partial.drops:
        points |= partial.continuations.keys()
    elif not partial.is_full:
        points |= start.game.board.index.keys() - older
    return points


def _taps_of_moves(partial: PartialTurn) -> Collection[Vertex]:
    if partial.origin is None:
        return partial.movable
    return {partial.origin, *partial.destinations}


def _next_of_a_move(partial: PartialTurn, turn: Turn) -> Vertex | Pass:
    if not isinstance(turn, Move):
        return partial.origin or PASS
    if partial.origin is None:
        return turn.origin
    return turn.destination if partial.origin == turn.origin else partial.origin
