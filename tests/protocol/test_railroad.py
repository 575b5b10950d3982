"""The pictures of the grammar in the docs are those of the grammar."""

import re
from importlib.metadata import version
from xml.etree import ElementTree as ET

import pytest

from tools.railroad import DRAWN, FOLDER, draw, file_name


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", svg)


@pytest.mark.parametrize("clause", DRAWN)
def test_a_diagram_shows_the_clause_as_it_is(clause):
    committed = (FOLDER / file_name(clause)).read_text(encoding="utf-8")
    assert words(committed) == words(draw(clause))
    assert words(committed)
    if f"railroad-diagrams {version('railroad-diagrams')} " in committed.partition("\n")[0]:
        assert committed == draw(clause)


@pytest.mark.parametrize("clause", DRAWN)
def test_a_diagram_stands_alone_on_a_white_ground(clause):
    root = ET.fromstring(draw(clause))  # noqa: S314
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].attrib == {"class": "background", "width": "100%", "height": "100%"}
    assert "rect.background { fill: white;" in draw(clause)
    assert "href" not in draw(clause).replace("xmlns:xlink", "")


def test_each_alternative_of_a_turn_is_on_a_track_of_its_own():
    assert words(draw("turn")) == [
        *["pass", "swap"],
        *["vertex", "-", "vertex", "move"],
        *["drop", ",", "drop", "drops"],
    ]


def test_there_is_a_diagram_for_every_clause_and_no_other():
    assert {path.stem for path in FOLDER.glob("*.svg")} == {
        file_name(name).removesuffix(".svg") for name in DRAWN
    }
