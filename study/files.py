"""The files of a study: Markdown with its pictures, one page of HTML, and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from tabulate import tabulate

from oddly.games import Game, Picture
from oddly.games import svg as board_svg
from oddly.games.drawing.charts import file_of
from oddly.games.drawing.picture import Heat
from oddly.games.drawing.svg import element as board_element
from oddly.games.untrusted_text import table_cell
from oddly.study.document import Cell, Chart, HeatMap, Study, StudyTable, cell_text, intervals_text
from oddly.study.estimates import Estimate, IntervalMethod

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.study.document import Part


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


FIELDS = {"board": "shape"}
"""Settings with a different field name in a game's dataclass."""


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
