"""The shipped studies are those that the program writes for their games today."""

import json

import pytest

from oddly.study.atlas import SUFFIX, as_cell, digest, make_atlas, read_studies
from oddly.study.document import Column, StudyTable, files_of
from oddly.study.published import differences
from oddly.study.summary import _lead_text, _pie_text, first_player_text
from tests.source import ROOT

FOLDER = ROOT / "docs" / "studies"
STUDIES = [path.with_name(path.name.removesuffix(SUFFIX)) for path in FOLDER.glob(f"*{SUFFIX}")]


def table(facts, key):
    stored = facts["tables"].get(key)
    if stored is None:
        return None
    columns = [Column(title) for title in stored["columns"]]
    rows = [[as_cell(cell) for cell in row] for row in stored["rows"]]
    return StudyTable(key, stored["title"], columns, rows)


@pytest.mark.parametrize("path", sorted(STUDIES), ids=lambda path: path.stem)
def test_a_shipped_study_has_the_sentences_of_today(path):
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    brief = facts["texts"]["In brief"]
    name, _, points, *_ = max(table(facts, "balance").rows[1:], key=lambda row: row[1])
    # The strongest player's points may follow in the same sentence.
    first = first_player_text((name, points)).removesuffix(".")
    sentences = [first, _lead_text(table(facts, "leads")), _pie_text(table(facts, "pie"))]
    assert all(sentences[:2])
    assert [sentence for sentence in sentences if sentence not in brief] == []
    assert brief in path.with_suffix(".md").read_text(encoding="utf-8")
    assert brief in path.with_suffix(".html").read_text(encoding="utf-8").replace("&#39;", "'")


def test_the_shipped_atlas_is_made_from_the_shipped_studies():
    for name, text in files_of(make_atlas(read_studies(FOLDER)), "atlas").items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "oddly atlas docs/studies"


def test_the_atlas_has_the_hashes_of_the_games():
    text = (FOLDER / "atlas.md").read_text(encoding="utf-8")
    for path in STUDIES:
        assert digest(path.with_name(path.name + SUFFIX)) in text


class Silent:
    """Observes measurements and says nothing."""

    def begin(self, _what, _steps):
        return lambda: None


@pytest.mark.soak
def test_every_shipped_page_with_games_follows_from_them():
    said = [each for each in differences(FOLDER, Silent()) if "has no games" not in each]
    assert said == []
