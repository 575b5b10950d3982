"""A study as one page of HTML that loads nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from oddly.games.drawing.svg import element as board_element
from oddly.study.document import Chart, HeatMap, StudyTable
from oddly.study.markdown import heat_picture
from oddly.study.wording import cell_text, intervals_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.study.document import Study


@dataclass(frozen=True, slots=True)
class _Head:
    text: str
    is_word: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """A table or a picture in the form that the template needs."""

    title: str
    note: str
    heads: Sequence[_Head] = ()
    rows: Sequence[Sequence[str]] = ()
    picture: Markup | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    text: str
    parts: Sequence[_Part]
    intervals: str


def page(study: Study) -> str:
    """Return the page; every text in it is escaped."""
    environment = Environment(loader=PackageLoader("oddly.study"), autoescape=True)
    sections = [
        _Section(s.title, s.text, [_part(part) for part in s.parts], intervals_text(s))
        for s in study.sections
    ]
    return environment.get_template("study.html").render(study=study, sections=sections) + "\n"


def _part(part: StudyTable | Chart | HeatMap) -> _Part:
    if isinstance(part, StudyTable):
        heads = [
            _Head(column.title, any(isinstance(row[place], str) for row in part.rows))
            for place, column in enumerate(part.columns)
        ]
        rows = [
            [cell_text(cell, column) for cell, column in zip(row, part.columns, strict=True)]
            for row in part.rows
        ]
        return _Part(part.title, part.note, heads, rows)
    drawn = part.drawn() if isinstance(part, Chart) else board_element(heat_picture(part))
    # ElementTree has escaped all text in it.
    return _Part(part.title, part.note, picture=Markup(ET.tostring(drawn, "unicode")))  # noqa: S704
