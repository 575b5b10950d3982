"""Estimates as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddly.study.document import Chart, HeatMap, StudyTable
from oddly.study.estimates import Estimate, IntervalMethod

if TYPE_CHECKING:
    from oddly.study.document import Cell, Column, Section

SYMMETRIC = (IntervalMethod.STUDENT, IntervalMethod.BOOTSTRAP_ERROR)
LEAN = 0.02
"""The part of its length by which an interval may be off centre and still be written with ±."""


def cell_text(cell: Cell, column: Column) -> str:
    """Return a cell's text, such as `173.2 ± 0.4` or `49.4 % [46.3, 52.5]`; a dash for None."""
    match cell:
        case None:
            return "-"
        case str():
            return cell
        case int():
            return f"{cell:,}"
        case float():
            return _number(cell, column.digits)
        case Estimate():
            return _estimate_text(cell, column)


def _estimate_text(estimate: Estimate, column: Column) -> str:
    scale, unit = (100, " %") if column.is_share else (1, "")
    value = scale * estimate.value
    low, high = (None if end is None else scale * end for end in (estimate.low, estimate.high))
    if estimate.method is IntervalMethod.EXACT:
        whole = value == round(value) and not column.is_share
        return _number(value, 0 if whole else column.digits) + unit
    digits = _digits(value, low, high, column.digits)
    text = _number(value, digits) + unit
    if low is None or high is None:
        return "too few"
    if low == high:
        return f"{text} (all alike)"
    if estimate.method in SYMMETRIC and abs((high - value) - (value - low)) <= LEAN * (high - low):
        return f"{text} ± {_number(high - value, digits)}"
    return f"{text} [{_number(low, digits)}, {_number(high, digits)}]"


def _digits(value: float, low: float | None, high: float | None, wanted: int) -> int:
    """Return the decimals to show: fewer for large numbers, more for small intervals."""
    if low is None or high is None or high == low:
        return wanted
    half = (high - low) / 2
    needed = max(0, 1 - math.floor(math.log10(half))) if half > 0 else wanted
    if abs(value) >= 1000:
        return 0
    return min(max(wanted, needed) if half < 10 ** (1 - wanted) / 2 else wanted, 4)


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def intervals_text(section: Section) -> str:
    """Return a sentence that says how a section's intervals were found, or "" without intervals."""
    used = dict.fromkeys(
        estimate.method
        for part in section.parts
        for estimate in _estimates(part)
        if estimate.method is not IntervalMethod.EXACT and estimate.low is not None
    )
    if not used:
        return ""
    return f"Intervals hold 95 %: {'; '.join(method.value for method in used)}."


def _estimates(part: StudyTable | Chart | HeatMap) -> list[Estimate]:
    if isinstance(part, StudyTable):
        return [cell for row in part.rows for cell in row if isinstance(cell, Estimate)]
    if isinstance(part, Chart):
        return [estimate for line in part.lines for _, estimate in line.points]
    return list(part.values.values())
