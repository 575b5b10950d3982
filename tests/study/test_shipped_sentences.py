"""The sentences of shipped studies are those that the program writes for their figures today."""

import json

import pytest

from oddly.study.atlas import as_cell, make_atlas, read_studies
from oddly.study.document import Column, StudyTable
from oddly.study.files import files_of
from oddly.study.first_turns import FirstTurn
from oddly.study.leads import lead_table
from oddly.study.scores import pie_table
from oddly.study.summary import _lead_text, _pie_text, first_player_text
from tests.source import ROOT

FOLDER = ROOT / "docs" / "studies"
STUDIES = sorted(FOLDER.glob("*-*.json"))


def table(facts, key):
    stored = facts["tables"][key]
    columns = [Column(title) for title in stored["columns"]]
    rows = [[as_cell(cell) for cell in row] for row in stored["rows"]]
    return StudyTable(key, stored["title"], columns, rows)


def most_games(balance):
    return max(balance.rows[1:], key=lambda row: row[1])


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_shipped_study_has_the_sentences_of_today(path):
    facts = json.loads(path.read_text(encoding="utf-8"))
    brief = facts["texts"]["In brief"]
    name, _, points, *_ = most_games(table(facts, "balance"))
    first = first_player_text(name, points)
    sentences = [first, _lead_text(table(facts, "leads")), _pie_text(table(facts, "pie"))]
    assert all(sentences)
    assert [sentence for sentence in sentences if sentence not in brief] == []
    assert brief in path.with_suffix(".md").read_text(encoding="utf-8")
    assert brief in path.with_suffix(".html").read_text(encoding="utf-8").replace("&#39;", "'")


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_shipped_study_has_the_notes_of_today(path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    share = as_cell(stored["tables"]["pie"]["rows"][0][2])
    note = pie_table([FirstTurn("a", frozenset("a"), share)]).note
    assert stored["tables"]["pie"]["note"] == note
    unknown = "an unknown number of times a game."
    beginning = lead_table([], 400).note.removesuffix(unknown)
    assert stored["tables"]["leads"]["note"].startswith(beginning)
    for written in (path.with_suffix(".md"), path.with_suffix(".html")):
        assert note in written.read_text(encoding="utf-8").replace("&#39;", "'")


def test_the_shipped_atlas_is_made_from_the_shipped_studies():
    for name, text in files_of(make_atlas(read_studies(FOLDER)), "atlas").items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "oddly atlas docs/studies"
