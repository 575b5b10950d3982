"""The contents of a study, before they are written as Markdown, JSON or HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oddly.games.drawing.charts import Band, bands
from oddly.study.estimates import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element

    from oddly.games.board import Board

Cell = Estimate | str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of a column. Shares are in per cent; `digits` is the number of decimals."""

    title: str
    is_share: bool = False
    digits: int = 1


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
    """An estimate between 0 and 1 for each of some vertices of the board."""

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
    """A whole study; `facts` say what was studied and how."""

    title: str
    facts: Mapping[str, Any]
    sections: Sequence[Section] = field(default_factory=tuple)
