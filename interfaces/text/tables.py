"""What all text tables share: their formats, how cells are aligned, how numbers are written."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oddly.games import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments import PlayedGame


RAW = {"unsafehtml", "latex_raw"}
"""Formats that would let a stranger's name through as markup, and are not offered."""

DEFAULT_FORMAT = "simple"


@cache
def table_formats() -> tuple[str, ...]:
    """Return the names of all formats that are offered."""
    from tabulate import tabulate_formats

    return tuple(name for name in tabulate_formats if name not in RAW)


def aligned(
    rows: Sequence[Sequence[str]], headers: Sequence[str], format_: str, align: str = "right"
) -> str:
    """Return a table of places on the right, names on the left, and columns aligned by `align`."""
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
