"""What a picture of a board shows, and where on it the vertices and their labels lie.

The unit of length is the distance between two neighbours' centres; x grows to the right and y
*down*, as on screens. A square board has square cells, `a1` lower left. A hexhex board has hexagons
that stand on a corner: ranks are level, and columns rise from their letter to the right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games.board import Board, Shape, make_board
from oddly.games.turns import Drops, Move, Turn, Vertex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.games.drop_level import DropPosition
    from oddly.games.game import Position


RANK_HEIGHT = math.sqrt(3) / 2
"""The distance between two ranks of a hexhex board."""

STONE_RADIUS = 0.42
LABEL_DISTANCE = 0.86
"""From the centre of the outermost cell to a label."""

DIGITS = 4


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


class Point(NamedTuple):
    """A place on the paper."""

    x: float
    y: float


class Box(NamedTuple):
    """An upright rectangle: its upper left corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float


class Label(NamedTuple):
    """A coordinate's text, centred on a point."""

    text: str
    at: Point


@dataclass(frozen=True, slots=True)
class Cell:
    """A vertex: its name, its centre, and the corners of its polygon clockwise from the top."""

    vertex: Vertex
    centre: Point
    polygon: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Geometry:
    """A board on paper. `cells[i]` is the vertex of index `i` of the board.

    `columns` and `ranks` are the labels outside the board; `bounds` holds the cells alone,
    `labelled_bounds` the labels too.
    """

    shape: Shape
    size: int
    cells: tuple[Cell, ...]
    columns: tuple[Label, ...]
    ranks: tuple[Label, ...]
    bounds: Box
    labelled_bounds: Box

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON: points are [x, y], boxes [x, y, width, height]."""
        return {
            "shape": self.shape,
            "size": self.size,
            "stone_radius": STONE_RADIUS,
            "cells": [
                {
                    "vertex": cell.vertex,
                    "centre": list(cell.centre),
                    "polygon": [list(corner) for corner in cell.polygon],
                }
                for cell in self.cells
            ],
            "columns": [{"text": label.text, "at": list(label.at)} for label in self.columns],
            "ranks": [{"text": label.text, "at": list(label.at)} for label in self.ranks],
            "bounds": list(self.bounds),
            "labelled_bounds": list(self.labelled_bounds),
        }


@cache
def geometry_of(shape: Shape, size: int) -> Geometry:
    """Return the geometry of the board of that shape and size."""
    board = make_board(shape, size)
    corners = _HEXAGON if shape == "hexhex" else _SQUARE
    cells = []
    for vertex, (column, rank) in zip(board.vertices, board.coordinates, strict=True):
        centre = _centre(board, column, rank)
        polygon = tuple(_point(centre.x + x, centre.y + y) for x, y in corners)
        cells.append(Cell(vertex, centre, polygon))
    columns, ranks = _labels(board)
    bounds = _box([corner for cell in cells for corner in cell.polygon])
    outside = [
        Point(label.at.x + dx, label.at.y + dy)
        for label in (*columns, *ranks)
        for dx, dy in _LABEL_CORNERS
    ]
    labelled = _box([*outside, *(corner for cell in cells for corner in cell.polygon)])
    return Geometry(shape, size, tuple(cells), columns, ranks, bounds, labelled)


_SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
_HEXAGON = tuple(
    (math.sin(math.radians(angle)) / math.sqrt(3), -math.cos(math.radians(angle)) / math.sqrt(3))
    for angle in range(0, 360, 60)
)
_LABEL_CORNERS = ((-0.4, -0.3), (0.4, 0.3))


def _centre(board: Board, column: int, rank: int) -> Point:
    """Return the centre of a cell, which may lie beyond the edge."""
    if board.shape == "square":
        return _point(column - 1, 1 - rank)
    q, r = column - board.size, rank - board.size
    return _point(q + r / 2, -r * RANK_HEIGHT)


def _labels(board: Board) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Return letters below the columns, and numbers left of a square board or right of a hexhex."""
    lowest: dict[int, int] = {}
    ends: dict[int, int] = {}
    for column, rank in board.coordinates:
        lowest.setdefault(column, rank)
        ends[rank] = 1 if board.shape == "square" else column
    aside = -1 if board.shape == "square" else 1
    columns = tuple(
        Label(chr(ord("a") + column - 1), _beyond(board, (column, rank), (0, -1)))
        for column, rank in sorted(lowest.items())
    )
    ranks = tuple(
        Label(str(rank), _beyond(board, (column, rank), (aside, 0)))
        for rank, column in sorted(ends.items())
    )
    return columns, ranks


def _beyond(board: Board, cell: tuple[int, int], step: tuple[int, int]) -> Point:
    """Return the point at LABEL_DISTANCE from a cell in the direction of a neighbour."""
    here = _centre(board, *cell)
    there = _centre(board, cell[0] + step[0], cell[1] + step[1])
    return _point(
        here.x + LABEL_DISTANCE * (there.x - here.x), here.y + LABEL_DISTANCE * (there.y - here.y)
    )


def _box(points: list[Point]) -> Box:
    left, right = min(p.x for p in points), max(p.x for p in points)
    top, bottom = min(p.y for p in points), max(p.y for p in points)
    return Box(*(round(value, DIGITS) for value in (left, top, right - left, bottom - top)))


def _point(x: float, y: float) -> Point:
    """Return a rounded point without negative zeros, so that pictures are the same everywhere."""
    return Point(round(x, DIGITS) + 0.0, round(y, DIGITS) + 0.0)
