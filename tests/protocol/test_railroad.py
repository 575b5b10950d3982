"""The pictures of the grammar in the docs are those of the grammar."""

import re

import pytest

from protocol.grammar import CLAUSES
from protocol.railroad import FOLDER, draw


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", svg)


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_diagram_shows_the_clause_as_it_is(clause):
    committed = (FOLDER / f"{clause}.svg").read_text(encoding="utf-8")
    assert words(committed) == words(draw(clause))
    assert words(committed)


def test_there_is_a_diagram_for_every_clause_and_no_other():
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(CLAUSES)
