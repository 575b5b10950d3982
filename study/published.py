"""Published figures for Yodd on base 8 that can be compared with ours.

They come from an automatic report by Ai Ai, a program for many games: UCT at 0.01 to 0.20 seconds
a move, and 1,000 of its own games for the length and the branching factor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oddly.games.yodd import Yodd
from oddly.study.document import Column, StudyTable
from oddly.study.estimates import Estimate, transformed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.game import Game
    from oddly.study.document import Cell

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LARGEST = "most games"
"""Stands for the row with the most games, other than those of random players."""

PUBLISHED = (
    ("random games a second", "1,429", ("speed", "random games", 1)),
    ("actions in a random game", "173", ("length", "random actions", 3)),
    ("actions in a game between equals", "179", ("length", -1, 3)),
    ("legal actions before an action", "129.08", ("branching", "all actions", 2)),
    (
        "game tree, log10, product of legal actions",
        "345.45",
        ("complexity", "game tree, by actions", 2),
    ),
    ("positions after one action", "338", ("distinct", 1, 1)),
    ("positions after up to two", "57,460", ("distinct", 2, 2)),
    ("first player's points, %", "49.40 ± 3.09", ("balance", LARGEST, 2)),
    ("strong against weak, %", "82 to 100, from step to step", ("ladder", -1, 3)),
    ("copying by half a turn, points, %", "0", ("mirrors", "mirror half-turn", 3)),
    ("turns on which the lead changed, %", "12", ("leads", "turns on which the lead changed", 2)),
    ("distinct actions", "339", ("chosen", "distinct actions", 1)),
    (
        "of them chosen more often than the average",
        "50",
        ("chosen", "chosen more often than the average", 1),
    ),
    (
        "positions that play comes to, log10",
        "8.73",
        ("complexity", "positions that play comes to", 2),
    ),
)
"""A name, the published figure, and where ours is: a table, its row and its column."""


def has_published(game: Game) -> bool:
    """Return whether there are published figures for `game`."""
    return game == Yodd(8)


def published_table(tables: Sequence[StudyTable]) -> StudyTable:
    """Return the published figures beside ours."""
    by_key = {table.key: table for table in tables}
    rows = []
    for what, theirs, place in PUBLISHED:
        ours = _cell(by_key, *place)
        rows.append((what, theirs, ours, comparison(theirs, ours)))
    columns = (
        Column("figure"), Column("published"), Column("here", digits=2), Column("ours is"),
    )  # fmt: skip
    return StudyTable("published", "Published and measured here", columns, rows)


def comparison(theirs: str, ours: Cell) -> str:
    """Return how our figure lies to a published one: `the same`, `larger`, `smaller` or `-`.

    Both are the same where their intervals meet.
    """
    first, *more = (float(word.replace(",", "")) for word in NUMBER.findall(theirs))
    low = high = first
    if "±" in theirs:
        low, high = first - more[0], first + more[0]
    elif more:
        low, high = first, more[0]
    if isinstance(ours, Estimate):
        least, most = (ours.value if end is None else end for end in (ours.low, ours.high))
    elif isinstance(ours, int | float):
        least = most = float(ours)
    else:
        return "-"
    return "larger" if least > high else "smaller" if most < low else "the same"


def _cell(tables: dict[str, StudyTable], key: str, row: str | int, column: int) -> Cell:
    table = tables.get(key)
    if table is None:
        return None
    if row == LARGEST:
        found = sorted(table.rows[1:] or table.rows, key=lambda r: str(r[1]).zfill(9))[-1:]
    elif isinstance(row, int):
        found = [r for r in table.rows if row < 0 or r[0] == row][-1:]
    else:
        found = [r for r in table.rows if r[0] == row][:1]
    if not found:
        return None
    cell = found[0][column]
    if isinstance(cell, Estimate) and table.columns[column].is_share:
        return transformed(cell, lambda share: 100 * share)
    return cell
