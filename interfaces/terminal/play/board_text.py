"""The board for a terminal: the diagram of `games/diagram.py` with marks and colour.

Nothing depends on colour: stones differ by letter, and marked vertices stand in brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from oddly.games import EMPTY, SYMBOLS, Colour
from oddly.games.diagram import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from oddly.games import Position, Vertex
    from oddly.games.diagram import Row

STYLES = {EMPTY: "dim", Colour.BLACK: "bold cyan", Colour.WHITE: "bold yellow"}
MARKED = " on grey23"
NOTE = "green"


def board_text(
    position: Position,
    marked: Collection[Vertex] = (),
    notes: Mapping[Vertex, str] | None = None,
) -> Text:
    """Return the board with brackets around `marked` vertices and `notes` on empty ones.

    A note is one character, shown in place of the dot.
    """
    board = position.game.board
    brackets = {board.index[vertex] for vertex in marked if vertex in board.index}
    signs = {board.index[vertex]: note for vertex, note in (notes or {}).items()}
    lines = [_line(row, position, brackets, signs) for row in layout(board)]
    return Text("\n").join(lines)


def _line(row: Row, position: Position, brackets: set[int], signs: Mapping[int, str]) -> Text:
    if not row.indices:
        return Text(row.before, "dim")
    line = Text()
    before = False
    for place, index in enumerate(row.indices):
        marked = index in brackets
        gap = _gap(before, marked)
        # The first bracket replaces the blank before the row.
        line.append(gap if place else row.before[:-1] + gap, "" if place else "dim")
        stone = position.stones[index]
        style = NOTE if index in signs else STYLES[stone]
        line.append(signs.get(index, SYMBOLS[stone]), style + MARKED * marked)
        before = marked
    line.append(_gap(before, False) + row.after[1:], "dim")
    line.rstrip()
    return line


def _gap(before: bool, after: bool) -> str:
    """Return the character between two vertices, of which either may be marked."""
    if before and after:
        return "|"
    return "]" if before else "[" if after else " "
