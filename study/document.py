"""A study as a document: its contents, its estimates as text, and its files.

The files are Markdown with its pictures, one page of HTML, and JSON.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from tabulate import tabulate

from oddly.games import Game, Picture
from oddly.games import svg as board_svg
from oddly.games.drawing.charts import Band, bands, file_of
from oddly.games.drawing.picture import Heat
from oddly.games.drawing.svg import element as board_element
from oddly.games.untrusted_text import table_cell
from oddly.study.estimates import Estimate, IntervalMethod

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from xml.etree.ElementTree import Element

    from oddly.games import Board


Cell = Estimate | str | int | float | None

FIELDS = {"board": "shape"}
"""Settings with a different field name in a game's dataclass."""


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


def markdown(study: Study, name: str) -> str:
    """Return the text, which refers to its pictures as `NAME-KEY.svg`."""
    return "\n\n".join(_blocks(study, name)) + "\n"


def pictures(study: Study, name: str) -> dict[str, str]:
    """Return the pictures that the text refers to, by file name."""
    found = {}
    for section in study.sections:
        for part in section.parts:
            if isinstance(part, Chart):
                found[f"{name}-{part.key}.svg"] = file_of(part.drawn())
            elif isinstance(part, HeatMap):
                found[f"{name}-{part.key}.svg"] = board_svg(heat_picture(part))
    return found


def heat_picture(heat: HeatMap) -> Picture:
    """Return a picture of the board with its values in per cent."""
    values = {vertex: 100 * estimate.value for vertex, estimate in heat.values.items()}
    return Picture(
        heat.board,
        texts={vertex: f"{value:.0f}" for vertex, value in values.items()},
        heat=Heat(values, title="per cent"),
        title=heat.title,
    )


def _blocks(study: Study, name: str) -> Iterator[str]:
    yield f"# {study.title}"
    yield "\n".join(f"- {key}: {value}" for key, value in study.facts.items())
    for section in study.sections:
        yield f"## {section.title}"
        if section.text:
            yield section.text
        for part in section.parts:
            yield f"### {part.title}"
            if isinstance(part, StudyTable):
                yield table_text(part)
            else:
                yield f"![{part.title}]({name}-{part.key}.svg)"
            if part.note:
                yield part.note
        if intervals := intervals_text(section):
            yield f"*{intervals}*"


def table_text(table: StudyTable) -> str:
    """Return a table in Markdown, with words aligned left and numbers right."""
    rows = [
        [
            table_cell(cell_text(cell, column), "github")
            for cell, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]
    return tabulate(
        rows,
        [column.title for column in table.columns],
        tablefmt="github",
        disable_numparse=True,
        colalign=["left" if words else "right" for words in _has_words(table)] if rows else None,
    )


def _has_words(table: StudyTable) -> list[bool]:
    """Return whether each column has words, which are aligned left, not only numbers."""
    places = range(len(table.columns))
    return [any(isinstance(row[place], str) for row in table.rows) for place in places]


def page(study: Study) -> str:
    """Return the HTML page, with all text escaped."""
    environment = Environment(loader=PackageLoader("oddly.study"), autoescape=True)
    text = environment.get_template("study.html").render(
        study=study, picture_of=_picture, has_words=_has_words,
        cell_text=cell_text, intervals_text=intervals_text,
    )  # fmt: skip
    return text + "\n"


def _picture(part: Part) -> Markup | None:
    """Return a part as SVG for a page; None for a table."""
    if isinstance(part, StudyTable):
        return None
    drawn = part.drawn() if isinstance(part, Chart) else board_element(heat_picture(part))
    # ElementTree has escaped all text in it.
    return Markup(ET.tostring(drawn, "unicode"))  # noqa: S704


def file_name(game: Game) -> str:
    """Return the file name of a game's study: `yodd-8`, or with unusual settings `odd-5-square`."""
    usual = type(game)()
    words = [game.name, str(game.size)]
    for setting, value in game.settings.items():
        if value != getattr(usual, FIELDS.get(setting, setting)):
            words.append(setting if value is True else str(value))
    return "-".join(words)


def json_text(study: Study) -> str:
    """Return the study as the text of one JSON object."""
    return json.dumps(as_json(study), indent=1, ensure_ascii=False) + "\n"


def files_of(study: Study, name: str) -> dict[str, str]:
    """Return the text of each file by its name: Markdown, its pictures, JSON and HTML."""
    return {
        f"{name}.md": markdown(study, name),
        f"{name}.json": json_text(study),
        f"{name}.html": page(study),
        **pictures(study, name),
    }


def as_json(study: Study) -> dict[str, Any]:
    """Return the study as plain values: facts, texts by section, tables, charts and maps by key.

    Shares go from 0 to 1.
    """
    parts = [part for section in study.sections for part in section.parts]
    return {
        "title": study.title,
        "facts": dict(study.facts),
        "texts": {section.title: section.text for section in study.sections if section.text},
        "tables": {part.key: _table(part) for part in parts if isinstance(part, StudyTable)},
        "charts": {part.key: _chart(part) for part in parts if isinstance(part, Chart)},
        "heat_maps": {
            part.key: _heat(part) for part in parts if not isinstance(part, StudyTable | Chart)
        },
    }


def _table(table: StudyTable) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": [column.title for column in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "note": table.note,
    }


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "title": chart.title,
        "across": chart.across,
        "up": chart.up,
        "lines": {
            line.name: [[x, *_numbers(estimate)] for x, estimate in line.points]
            for line in chart.lines
        },
    }


def _heat(heat: HeatMap) -> dict[str, Any]:
    return {
        "title": heat.title,
        "values": {vertex: _cell(estimate) for vertex, estimate in heat.values.items()},
    }


def _cell(cell: Cell) -> object:
    if not isinstance(cell, Estimate):
        return cell
    value, low, high = _numbers(cell)
    if cell.method is IntervalMethod.EXACT:
        return value
    return {
        "value": value,
        "low": low,
        "high": high,
        "interval": cell.method.name.lower(),
        "samples": cell.samples,
    }


def _numbers(estimate: Estimate) -> list[float | None]:
    parts = (estimate.value, estimate.low, estimate.high)
    return [None if part is None else float(f"{part:.6g}") for part in parts]
