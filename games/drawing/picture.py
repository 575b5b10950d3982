"""What a picture of a board shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.games.drawing.geometry import Geometry, geometry_of
from oddly.games.turns import Drops, Move, Turn, Vertex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.games.board import Board
    from oddly.games.drop_level import DropPosition
    from oddly.games.game import Position


@dataclass(frozen=True, slots=True)
class Heat:
    """Numbers for some of the vertices, drawn as the colours of their cells.

    `lowest` and `highest` are the ends of the scale, by default those of the values. `title` stands
    beside the scale.
    """

    values: Mapping[Vertex, float]
    title: str = ""
    lowest: float | None = None
    highest: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The values at both ends of the scale."""
        low = min(self.values.values(), default=0.0) if self.lowest is None else self.lowest
        high = max(self.values.values(), default=1.0) if self.highest is None else self.highest
        return low, high

    def share(self, value: float) -> float:
        """Return where a value lies on the scale, from 0 to 1; 1/2 if all values are equal."""
        low, high = self.ends
        if high <= low:
            return 0.5
        return min(1.0, max(0.0, (value - low) / (high - low)))


@dataclass(frozen=True, slots=True)
class Picture:
    """A board with stones (one entry per index) and what is written on and around it.

    `marked` stones carry a ring and `left` cells a dot: what the last turn touched. `texts` stand
    on vertices: numbers of turns, say. Any text may be untrusted.
    """

    board: Board
    stones: Sequence[int] = ()
    marked: frozenset[Vertex] = frozenset()
    left: frozenset[Vertex] = frozenset()
    texts: Mapping[Vertex, str] = field(default_factory=dict)
    heat: Heat | None = None
    caption: str = ""
    title: str = ""
    """The picture in words, for screen readers."""
    coordinates: bool = True

    @property
    def geometry(self) -> Geometry:
        """Where everything lies."""
        return geometry_of(self.board.shape, self.board.size)


def picture_of(
    position: Position | DropPosition,
    trace: Trace | None = None,
    *,
    numbers: bool = False,
    caption: str = "",
    heat: Heat | None = None,
    coordinates: bool = True,
) -> Picture:
    """Return the picture of a position. A trace adds marks for the last turn, or numbers.

    >>> import oddly
    >>> position = oddly.create_game("yodd", 3).start().play("Bc3")
    >>> picture = oddly.picture_of(position, caption="after one turn")
    >>> picture.caption, len(picture.stones)
    ('after one turn', 19)
    """
    trace = trace or Trace()
    return Picture(
        position.game.board,
        tuple(position.stones),
        trace.placed,
        trace.left,
        {vertex: str(turn) for vertex, turn in trace.numbers.items()} if numbers else {},
        heat,
        caption,
        describe(position),
        coordinates,
    )


def describe(position: Position | DropPosition) -> str:
    """Return a position in a sentence: `yodd 4, Black to move: 1 black and 2 white groups`."""
    black, white = position.group_counts
    side = str(position.to_move).capitalize()
    state = f"over, {position.result}" if position.is_over else f"{side} to move"
    return f"{position.game}, {state}: {black} black and {white} white groups"


@dataclass(frozen=True, slots=True)
class Trace:
    """The last turn's marks, and the numbers, from 1, of the turns that put stones where they lie.

    `placed` are the vertices that received a stone in the last turn, `left` those that lost one.
    """

    placed: frozenset[Vertex] = frozenset()
    left: frozenset[Vertex] = frozenset()
    numbers: Mapping[Vertex, int] = field(default_factory=dict)


def trace_of(turns: Iterable[Turn]) -> Trace:
    """Return the trace of turns from the start of a game."""
    placed: frozenset[Vertex] = frozenset()
    left: frozenset[Vertex] = frozenset()
    numbers: dict[Vertex, int] = {}
    for number, turn in enumerate(turns, start=1):
        placed, left = touched(turn)
        for vertex in left:
            numbers.pop(vertex, None)
        numbers.update(dict.fromkeys(placed, number))
    return Trace(placed, left, numbers)


def touched(turn: Turn | None) -> tuple[frozenset[Vertex], frozenset[Vertex]]:
    """Return the vertices that receive a stone in this turn, if any, and those that lose one."""
    match turn:
        case Drops(drops):
            return frozenset(drop.vertex for drop in drops), frozenset()
        case Move(origin, destination):
            return frozenset((destination,)), frozenset((origin,))
        case _:
            return frozenset(), frozenset()
