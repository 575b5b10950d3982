"""Figures as people read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from study.document import Chart, HeatMap, Table
from study.figure import Bar, Figure

if TYPE_CHECKING:
    from study.document import Cell, Column, Section

SYMMETRIC = (Bar.STUDENT, Bar.BOOTSTRAP_ERROR)
LEAN = 0.02
"""By how much of its length an interval may lie aside and still be written with a ±."""


def cell_text(cell: Cell, column: Column) -> str:
    """`173.2 ± 0.4`, `49.4 % [46.3, 52.5]`, a word, a whole number, or a dash for nothing."""
    match cell:
        case None:
            return "-"
        case str():
            return cell
        case int():
            return f"{cell:,}"
        case float():
            return _number(cell, column.digits)
        case Figure():
            return _figure_text(cell, column)


def _figure_text(figure: Figure, column: Column) -> str:
    scale, unit = (100, " %") if column.is_share else (1, "")
    value = scale * figure.value
    low, high = (None if end is None else scale * end for end in (figure.low, figure.high))
    if figure.bar is Bar.EXACT:
        whole = value == round(value) and not column.is_share
        return _number(value, 0 if whole else column.digits) + unit
    digits = _digits(value, low, high, column.digits)
    text = _number(value, digits) + unit
    if low is None or high is None:
        return f"{text} (±?)"
    if low == high:
        return f"{text} (all alike)"
    if figure.bar in SYMMETRIC and abs((high - value) - (value - low)) <= LEAN * (high - low):
        return f"{text} ± {_number(high - value, digits)}"
    return f"{text} [{_number(low, digits)}, {_number(high, digits)}]"


def _digits(value: float, low: float | None, high: float | None, wanted: int) -> int:
    """Fewer digits than wanted for large numbers, more where the bar is small."""
    if low is None or high is None or high == low:
        return wanted
    half = (high - low) / 2
    needed = max(0, 1 - math.floor(math.log10(half))) if half > 0 else wanted
    if abs(value) >= 1000:
        return 0
    return min(max(wanted, needed) if half < 10 ** (1 - wanted) / 2 else wanted, 4)


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def bars_text(section: Section) -> str:
    """How the intervals of a section's figures were found, in a sentence; nothing if none has."""
    used = dict.fromkeys(
        figure.bar
        for part in section.parts
        for figure in _figures(part)
        if figure.bar is not Bar.EXACT
    )
    if not used:
        return ""
    return f"Intervals hold 95 %: {'; '.join(bar.value for bar in used)}."


def _figures(part: Table | Chart | HeatMap) -> list[Figure]:
    if isinstance(part, Table):
        return [cell for row in part.rows for cell in row if isinstance(cell, Figure)]
    if isinstance(part, Chart):
        return [figure for line in part.lines for _, figure in line.points]
    return list(part.values.values())
