"""Studies that are shipped were made with the engine that is shipped."""

import json

import pytest

from oddly.engines import rave_engine
from oddly.games.catalogue import create_game
from oddly.study.evaluator import Evaluator, fingerprint
from tests.source import ROOT

STUDIES = sorted((ROOT / "docs" / "studies").glob("*-*.json"))


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
