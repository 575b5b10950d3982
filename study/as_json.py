"""A study as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.study.document import Chart, StudyTable
from oddly.study.estimates import Estimate, IntervalMethod

if TYPE_CHECKING:
    from oddly.study.document import Cell, HeatMap, Study


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
