"""The standings so far, one engine a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.untrusted_text import one_line
from interfaces.terminal.live.text import fitted, line
from interfaces.text.tables import points_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from interfaces.terminal.live.scene import StandingRow, Tally

COLUMNS = (("Elo", 6), ("+-95 %", 8), ("games", 7), ("points", 8), ("faults", 8))
NARROW = (("Elo", 6), ("+-95 %", 8), ("games", 7))
MAX_NAME_LENGTH = 34
SHORTEST_NAME = 12


def standings_lines(tally: Tally, width: int, height: int) -> list[Text]:
    """A heading and as many engines as there is room for; nothing without room for two."""
    rows = tally.rows
    if height < 3 or not rows:
        return []
    columns = COLUMNS if width >= columns_width(COLUMNS) + SHORTEST_NAME + 4 else NARROW
    room = width - columns_width(columns) - 4
    name_width = max(SHORTEST_NAME, min(MAX_NAME_LENGTH, room, longest_name(tally)))
    titles = "".join(f"{title:>{size}}" for title, size in columns)
    found = [line(width, (f"    {fitted(tally.title, name_width)}{titles}", "bold"))]
    fits = len(rows) <= height - 1
    for place, row in enumerate(rows[: height - 1 if fits else height - 2], start=1):
        cells = [
            (f"{cell:>{size}}", "red" if title == "faults" else "")
            for cell, (title, size) in zip(cells_of(row), columns, strict=False)
        ]
        found.append(line(width, f"{place:>3} {fitted(one_line(row.name), name_width)}", *cells))
    if not fits:
        found.append(line(width, (f"    and {len(rows) - height + 2} more", "dim")))
    return found


def cells_of(row: StandingRow) -> tuple[str, ...]:
    """What stands under each of COLUMNS."""
    rated = (f"{row.elo:z.0f}", f"{row.error_95:.0f}") if row.games else ("-", "-")
    return (*rated, str(row.games), points_text(row.points), str(row.forfeits or ""))


def columns_width(columns: Sequence[tuple[str, int]]) -> int:
    """Terminal columns for these."""
    return sum(size for _, size in columns)


def longest_name(tally: Tally) -> int:
    """Characters of the longest name or the title, roughly the columns it takes."""
    return max(len(tally.title), *(len(one_line(row.name)) for row in tally.rows))
