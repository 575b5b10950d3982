"""What all text tables share: their formats, how they fit a terminal, how numbers are written.

The default format fits the terminal, or WIDTH columns where none is written to: columns of less
weight are left out, long names are shortened, and what is still too wide is printed in blocks, one
below the other. All other formats have everything, and WIDE is the default format with everything.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from functools import cache
from typing import TYPE_CHECKING

from oddly.games import one_line
from oddly.games.untrusted_text import sentence_beside_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments import PlayedGame


RAW = {"unsafehtml", "latex_raw"}
"""Formats that would let a stranger's name through as markup, and are not offered."""

DEFAULT_FORMAT = "simple"
WIDE = "wide"

WIDTH = 80
BETWEEN = 2
"""The blanks between two columns."""
SHORTEST_NAME = 14
"""Names are not shortened further: the table is divided instead."""


@cache
def table_formats() -> tuple[str, ...]:
    """Return the names of all formats that are offered."""
    from tabulate import tabulate_formats

    return tuple(name for name in tabulate_formats if name not in RAW)


def width_here() -> int:
    """Return how many columns standard output has."""
    return shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH


def aligned(
    rows: Sequence[Sequence[str]],
    headers: Sequence[str],
    format_: str,
    align: str = "right",
    spare: Sequence[tuple[str, ...]] = (),
) -> str:
    """Return a table of places on the right, names on the left, and columns aligned by `align`.

    Where it is too wide, columns with headers in `spare` are left out, those of the first group
    first.
    """
    if format_ != DEFAULT_FORMAT:
        return _tabulated(rows, headers, DEFAULT_FORMAT if format_ == WIDE else format_, align)
    columns = list(zip(headers, *rows, strict=True))
    width = width_here()
    for group in spare:
        if _width(columns) > width:
            columns = [column for column in columns if column[0] not in group]
    excess = _width(columns) - width
    if excess > 0:
        header, *names = columns[1]
        longest = max(map(_columns, names), default=0)
        columns[1] = (header, *_shortened(names, max(SHORTEST_NAME, longest - excess)))
    blocks = [
        _tabulated([*zip(*block, strict=True)][1:], [column[0] for column in block], format_, align)
        for block in _blocks(columns, width)
    ]
    return "\n\n".join(blocks)


Column = tuple[str, ...]
"""The header of a column, and its cells."""


def _columns(text: str) -> int:
    """Return how many columns a text takes: some characters take two."""
    # It takes long to import, and a run prints its tables last.
    from wcwidth import wcswidth

    return wcswidth(text)


def _width(columns: Sequence[Column]) -> int:
    """Return how wide tabulate makes a table: it widens headers by two blanks."""
    widths = (max([_columns(header) + 2, *map(_columns, cells)]) for header, *cells in columns)
    return sum(width + BETWEEN for width in widths) - BETWEEN


def _blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Divide a table into some that are narrow enough, each with its first two columns."""
    first = list(columns[:2])
    blocks = [list(first)]
    for column in columns[2:]:
        if len(blocks[-1]) > len(first) and _width([*blocks[-1], column]) > width:
            blocks.append(list(first))
        blocks[-1].append(column)
    return blocks


def _shortened(names: Sequence[str], width: int) -> Sequence[str]:
    """Cut the middle of names that are longer, unless two would look the same."""
    short = tuple(_without_middle(name, width) for name in names)
    return short if len(set(short)) == len(set(names)) else names


def _without_middle(name: str, width: int) -> str:
    """Return a name in at most `width` columns."""
    if _columns(name) <= width:
        return name
    head, tail = name[: (width - 1) // 2], name[-(width // 2) :]
    while _columns(head) + 1 + _columns(tail) > width:
        head, tail = head[:-1], tail[1:]
    return f"{head}…{tail}"


def _tabulated(
    rows: Sequence[Sequence[str]], headers: Sequence[str], format_: str, align: str
) -> str:
    # It takes long to import, and a run prints its tables last.
    from tabulate import tabulate

    columns = ("right", "left", *[align] * (len(headers) - 2))
    return tabulate(
        rows,
        headers,
        tablefmt=format_,
        colalign=columns if rows else None,
        disable_numparse=True,
    )


def folded(sentence: str, format_: str = DEFAULT_FORMAT, indent: int = 2) -> str:
    """Return a sentence beside tables, in the default format folded between words.

    The lines below the first one begin with `indent` blanks.
    """
    if format_ != DEFAULT_FORMAT:
        return sentence_beside_tables(sentence, format_)
    return "\n".join(
        textwrap.fill(
            line,
            width_here(),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in sentence.split("\n")
    )


def share_text(points: float, games: int) -> str:
    """Return the share of points as `63 %`, or `-` without games."""
    return f"{100 * points / games:.0f} %" if games else "-"


def points_text(points: float) -> str:
    """Return points as `3` or `3.5`."""
    return f"{points:g}"


def game_line(played: PlayedGame, games: int | None) -> str:
    """Return a finished game as one line; `games` is how many there are in all, if known."""
    scheduled, outcome = played.scheduled, played.outcome
    number = (
        str(scheduled.number) if games is None else f"{scheduled.number:>{len(str(games))}}/{games}"
    )
    first, second = played.points
    points = "void" if outcome.is_void else f"{points_text(first)}-{points_text(second)}"
    turns = f"{outcome.turns} turn{'s' if outcome.turns != 1 else ''}"
    line = (
        f"{number}  {scheduled.game}  {one_line(scheduled.first)} - {one_line(scheduled.second)}  "
        f"{points}  {outcome.score}  {outcome.termination.value}, {turns}"
    )
    if outcome.is_forfeit or outcome.is_void:
        line += f"  ({one_line(outcome.reason)})"
    if outcome.is_marked:
        line += f"  [the referee was {outcome.lag:.3f} s late]"
    return line
