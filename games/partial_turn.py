"""A turn that is not made yet: where it began, and its drops so far or the piece taken up.

A `PartialTurn` is an immutable value: each step returns the next one. It says what the rules say
about half a turn, and permits any stone on an empty vertex. What may be done next is decided by
those who make turns of it: engines with actions (`drop_level.py`), GoGui with taps (`taps.py`), and
people with clicks (`interfaces/human_play/game_in_progress.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.turns import Drop, Drops, Move

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Self

    from oddly.games.game import Position
    from oddly.games.result import GroupCounts
    from oddly.games.turns import Vertex


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
        """Yield the turn with its stones in each choice of their colours."""
        for colours in product(Colour, repeat=len(self.drops)):
            yield replace(self, drops=tuple(map(Drop, colours, self.tentative)))

    def completions(self) -> Iterator[Drops]:
        """Return every legal turn that contains the tentative stones, of which there are some."""
        turns = self.start.turns_with(self.drops[0])
        if len(self.drops) == 1:
            return turns
        return (turn for turn in turns if set(self.drops) <= set(turn.drops))

    @property
    def can_be_completed(self) -> bool:
        """Whether a legal turn contains the tentative stones, of which there are some."""
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
        """Put a stone down on an empty vertex, whether a legal turn has it or not."""
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
