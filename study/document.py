"""What a study comes to, before it is written as Markdown, JSON or a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from study.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from games.board import Board

Cell = Estimate | str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading. Shares are written in per cent; `digits` stand after the point."""

    title: str
    is_share: bool = False
    digits: int = 1


@dataclass(frozen=True, slots=True)
class StudyTable:
    """Rows of figures, words and counts. `key` names it in JSON."""

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
    """Lines over turns. `is_share` says that the vertical axis goes from 0 to 100 %."""

    key: str
    title: str
    across: str
    up: str
    lines: Sequence[Line]
    is_share: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A estimate, from 0 to 1, for vertices of the board."""

    key: str
    title: str
    board: Board
    values: Mapping[str, Estimate]
    note: str = ""


Part = StudyTable | Chart | HeatMap


@dataclass(frozen=True, slots=True)
class Section:
    """What belongs under one heading."""

    title: str
    text: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Study:
    """All sections; `facts` say what was studied and how."""

    title: str
    facts: Mapping[str, Any]
    sections: Sequence[Section] = field(default_factory=tuple)
