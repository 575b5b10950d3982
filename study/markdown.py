"""A study as Markdown, with its pictures in files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from oddly.games.drawing.charts import file_of
from oddly.games.drawing.picture import Heat, Picture
from oddly.games.drawing.svg import svg as board_svg
from oddly.study.document import Chart, HeatMap, StudyTable
from oddly.study.wording import cell_text, intervals_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.study.document import Study


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
    """Return a table in Markdown, with words to the left and numbers to the right."""
    rows = [
        [cell_text(cell, column) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    is_text = [
        any(isinstance(row[place], str) for row in table.rows)
        for place in range(len(table.columns))
    ]
    return tabulate(
        rows,
        [column.title for column in table.columns],
        tablefmt="github",
        disable_numparse=True,
        colalign=["left" if text else "right" for text in is_text] if rows else None,
    )
