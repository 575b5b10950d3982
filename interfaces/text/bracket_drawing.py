"""The bracket of a knockout, drawn with lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.untrusted_text import one_line
from interfaces.text.tables import points_text

if TYPE_CHECKING:
    from tournaments.formats.bracket import Bracket, Node


def bracket_lines(bracket: Bracket) -> list[str]:
    """Return the bracket as lines, with the entrants on the left and the winner on the right."""
    lines = [""] * (2 * len(bracket[0]) - 1)
    rows = list(range(0, len(lines), 2))
    for nodes in bracket:
        labels = [f" {_label(node)} " for node in nodes]
        width = max(map(len, labels))
        for row, label in zip(rows, labels, strict=True):
            lines[row] += label.ljust(width, "─" if len(nodes) > 1 else " ")
        edge = max(map(len, lines))
        lines = [line.ljust(edge) for line in lines]
        if len(nodes) > 1:
            _join(lines, rows)
            rows = [(high + low) // 2 for high, low in zip(rows[::2], rows[1::2], strict=True)]
    return [line[1:].rstrip() for line in lines]


def _join(lines: list[str], rows: list[int]) -> None:
    """Draw the lines from each two places to the one between them."""
    for high, low in zip(rows[::2], rows[1::2], strict=True):
        for row in range(high + 1, low):
            lines[row] += " │"
        lines[high] += "─┐"
        lines[low] += "─┘"
        middle = (high + low) // 2
        lines[middle] = f"{lines[middle][:-1]}├─"


def _label(node: Node) -> str:
    """Return who comes out of a node, and by what score."""
    if node.is_empty:
        return "(bye)"
    name = "?" if node.winner is None else one_line(node.winner)
    if node.fixture is None:
        return name
    one, other = (node.fixture.points_of(side) for side in (node.fixture.one, node.fixture.other))
    result = f"{points_text(max(one, other))}-{points_text(min(one, other))}"
    return f"{name} {result}" + (" by lot" if node.fixture.by_lot else "")
