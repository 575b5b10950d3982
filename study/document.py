"""The contents of a study, and its estimates as text, before they are written to files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oddly.games.drawing.charts import Band, bands
from oddly.study.estimates import Estimate, IntervalMethod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element

    from oddly.games import Board


Cell = Estimate | str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of a column. Shares are in per cent; `digits` is the number of decimals."""

    title: str
    is_share: bool = False
    digits: int = 1


def columns_of(*columns: str | Column) -> tuple[Column, ...]:
    """Return the columns; a title alone stands for one without shares and with one decimal."""
    return tuple(each if isinstance(each, Column) else Column(each) for each in columns)


def in_percent(title: str, digits: int = 1) -> Column:
    """Return a column of shares."""
    return Column(title, is_share=True, digits=digits)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """Rows of estimates, words and counts. `key` is the table's name in JSON."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: an estimate for each x."""

    name: str
    points: Sequence[tuple[float, Estimate]]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over turns. With `is_share` the vertical axis goes from 0 to 100 %."""

    key: str
    title: str
    across: str
    up: str
    lines: Sequence[Line]
    is_share: bool = False
    note: str = ""

    def drawn(self) -> Element:
        """Return the chart as an SVG element; an estimate without bars has a band of no width."""
        series = [Band(line.name, [_ends(x, e) for x, e in line.points]) for line in self.lines]
        return bands(series, self.title, self.across, is_share=self.is_share)


def _ends(x: float, estimate: Estimate) -> tuple[float, float, float, float]:
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return x, estimate.value, low, high


@dataclass(frozen=True, slots=True)
class HeatMap:
    """An estimate between 0 and 1 for some of the board's vertices."""

    key: str
    title: str
    board: Board
    values: Mapping[str, Estimate]
    note: str = ""


Part = StudyTable | Chart | HeatMap


@dataclass(frozen=True, slots=True)
class Section:
    """The text, tables and pictures under one heading."""

    title: str
    text: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Study:
    """A complete study; `facts` say what was studied and how."""

    title: str
    facts: Mapping[str, Any]
    sections: Sequence[Section] = field(default_factory=tuple)


SYMMETRIC = (IntervalMethod.STUDENT, IntervalMethod.BOOTSTRAP_ERROR)
LEAN = 0.02
"""An interval off centre by at most this share of its length is still written with ±."""

ROUNDING = 1e-12
"""Figures that differ by less, or by less than a billionth of them, are the same."""


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
    if low is not None and high is not None and math.isclose(low, high, abs_tol=ROUNDING):
        # The same numbers, added in another order, may differ in their last digits.
        low = high
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
