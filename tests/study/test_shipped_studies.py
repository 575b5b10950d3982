"""Studies that are shipped: made with the engine that is shipped, and written as today."""

import json

import pytest

from oddly.engines import rave_engine
from oddly.games.catalogue import create_game
from oddly.study.atlas import SUFFIX, as_cell, digest, make_atlas, read_studies
from oddly.study.document import Column, StudyTable, files_of
from oddly.study.evaluator import Evaluator, fingerprint
from oddly.study.published import differences
from oddly.study.summary import _lead_text, _pie_text, first_player_text
from tests.source import ROOT

FOLDER = ROOT / "docs" / "studies"
STUDIES = sorted(FOLDER.glob("*-*.json"))
WITH_GAMES = [path.with_name(path.name.removesuffix(SUFFIX)) for path in FOLDER.glob(f"*{SUFFIX}")]
LONG = ("ayu-11",)
"""Studies whose engine thinks longest."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.sampled] * (path.stem in LONG))
        for path in STUDIES
    ],
)
def test_a_shipped_study_was_made_with_the_shipped_engine(path):
    facts = json.loads(path.read_text())["facts"]
    name, size, *least = path.stem.split("-")
    game = create_game(name, int(size), {"min_group": int(least[0])} if least else {})
    assert str(game) == facts["game"]
    engine, digest = facts["fingerprint"].split()
    found = fingerprint(game, engine)
    assert (found.digest, f"{engine}: {found.settings}") == (digest, facts["settings"]), (
        "the engine plays otherwise than when this study was made: make it again with the command "
        "in docs/studies/README.md"
    )


def test_a_fingerprint_repeats_and_tells_settings_apart(monkeypatch):
    game = create_game("yodd", 3)
    before = fingerprint(game, "rave")
    assert fingerprint(game, "rave") == before
    assert fingerprint(game, "uct").digest != before.digest
    assert fingerprint(game, "greedy").settings == ""
    tuned = rave_engine.TUNED[type(game)]
    other = rave_engine.replace(tuned, exploration=1.0)
    monkeypatch.setitem(rave_engine.TUNED, type(game), other)
    after = fingerprint(game, "rave")
    assert after.digest != before.digest
    assert after.settings.startswith("exploration 1,")


def test_a_database_in_the_working_folder_leaves_the_fingerprint_alone(
    tmp_path, oddly, monkeypatch
):
    """The bug: where one lay, a study did not go on from published games."""
    monkeypatch.chdir(tmp_path)
    game = create_game("odd", 2)
    before = fingerprint(game, "rave")
    oddly("database --game odd --size 2")
    assert fingerprint(game, "rave") == before


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["yodd", "xodd", "odd", "ayu"])
def test_an_evaluation_goes_by_random_games_alone_as_when_studies_were_made(name):
    game = create_game(name)
    evaluator = Evaluator(game, "rave", 400)
    settings = evaluator._settings
    assert (settings.trust, settings.puct, settings.playouts, settings.plies) == (0, 0, 1, -1)
    assert settings.exploration == rave_engine.tuned_for(game, is_long=False).exploration


def table(facts, key):
    stored = facts["tables"].get(key)
    if stored is None:
        return None
    columns = [Column(title) for title in stored["columns"]]
    rows = [[as_cell(cell) for cell in row] for row in stored["rows"]]
    return StudyTable(key, stored["title"], columns, rows)


@pytest.mark.parametrize("path", sorted(WITH_GAMES), ids=lambda path: path.stem)
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
    for path in WITH_GAMES:
        assert digest(path.with_name(path.name + SUFFIX)) in text


class Silent:
    """Observes measurements and says nothing."""

    def begin(self, _what, _steps):
        return lambda: None


@pytest.mark.soak
def test_every_shipped_page_with_games_follows_from_them():
    said = [each for each in differences(FOLDER, Silent()) if "has no games" not in each]
    assert said == []
