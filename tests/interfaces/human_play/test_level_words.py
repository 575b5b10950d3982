"""Levels in words: what people choose from, with the measured strength beside it."""

import json

import pytest

from benchmarks.level_lists import YARDSTICKS, ladder, pool, rated, top, write
from benchmarks.level_lists import table as level_lists_table
from oddly.engines.levels import FILE, HIGHEST, level_list, level_lists, levels
from oddly.games.catalogue import GAMES, create_game, read_game
from oddly.interfaces.human_play.sentences import level_text, what_the_ratings_say
from oddly.interfaces.web.server import _game_facts
from oddly.tournaments.toml.tournament_file import load_tournament
from tests.source import ROOT


@pytest.mark.parametrize("name", GAMES)
def test_the_terminal_shows_every_level_with_its_strength(name, output):
    game = create_game(name)
    known = levels(game)
    shown = [level_text(level) for level in known]
    assert shown[0] == "Level 1, first game"
    lines = output("play", "--levels", "--game", name).splitlines()
    for level, text in zip(known, shown, strict=True):
        assert not level.rating or text.endswith(f"{level.name} (+{level.rating} Elo)")
        row = f"{level.number} {level.name} +{level.rating}"
        assert any(" ".join(line.split()) == row for line in lines)
    assert lines[-1] == what_the_ratings_say(game)
    assert len(known) == HIGHEST


@pytest.mark.parametrize("name", GAMES)
def test_the_page_shows_every_level_as_the_list_has_it(name):
    told = json.loads(FILE.read_text(encoding="utf-8"))
    game = create_game(name)
    (measured,) = (each for each in told["lists"] if each["game"] == name)
    assert measured["size"] == game.size
    facts = _game_facts(game)
    for level, shown in zip(facts["levels"], facts["list"]["ratings"], strict=True):
        elo, error = measured["ratings"][f"level {level['number']}"]
        assert shown == f"{elo:,} ± {error}"
    elo, error = measured["ratings"]["random"]
    assert f"random {elo:,} ± {error}" in facts["list"]["says"]
    assert f"{measured['games']:,} games" in facts["list"]["says"]


def test_a_board_that_was_not_measured_has_no_list():
    for game in (create_game("yodd", 7), read_game("ayu", 11, {"pie": "true"})):
        assert level_list(game) is None
        assert _game_facts(game)["list"] is None


def test_the_docs_have_the_list_of_the_page():
    page = (ROOT / "docs/explanation/engines.md").read_text(encoding="utf-8")
    told = json.loads(FILE.read_text(encoding="utf-8"))
    assert level_lists_table(level_lists()) in page
    assert ladder(level_lists()) in page
    assert told["command"] in page
    for each in told["lists"]:
        assert each["date"] in page


def rated_with(points):
    """Return a list of a pool in which each level is 100 Elo above the one below."""
    rows = [{"name": f"level {n}", "elo": 100.0 * n, "error_95": 40.0} for n in range(1, HIGHEST)]
    rows += [{"name": name, "elo": 0.0, "error_95": 40.0} for name in YARDSTICKS]
    return rated("odd", 5, {"ratings": rows}, points, (400, 24))


def test_the_highest_level_is_rated_by_its_games_against_the_one_below():
    found = rated_with(18.0)
    assert found["games"] == 424
    elos = {name: elo for name, (elo, _) in found["ratings"].items()}
    assert elos["level 10"] - elos["level 9"] == pytest.approx(182, abs=1)
    assert elos["level 9"] - elos["level 8"] == pytest.approx(100, abs=1)
    assert sum(elos.values()) / len(elos) == pytest.approx(1000, abs=1)
    assert found["ratings"]["level 10"][1] > found["ratings"]["level 9"][1] == 40


def test_a_whole_score_of_the_highest_level_stands_for_a_rating_too():
    elos = {name: elo for name, (elo, _) in rated_with(24.0)["ratings"].items()}
    assert 600 < elos["level 10"] - elos["level 9"] < 750


def test_a_list_that_was_measured_takes_the_place_of_its_boards_last_one(tmp_path, monkeypatch):
    file = tmp_path / "level_lists.json"
    before = json.loads(FILE.read_text(encoding="utf-8"))
    file.write_text(json.dumps(before), encoding="utf-8")
    monkeypatch.setattr("benchmarks.level_lists.FILE", file)
    odd = rated_with(18.0) | {"date": "2026-11-27"}
    write(odd)
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["command"] == before["command"]
    assert after["lists"] == [odd if each["game"] == "odd" else each for each in before["lists"]]
    other = odd | {"game": "another"}
    write(other)
    assert json.loads(file.read_text(encoding="utf-8"))["lists"] == [*after["lists"], other]


@pytest.mark.parametrize(("written", "engines"), [(pool, 11), (top, 2)])
def test_the_games_for_a_list_are_a_tournament(written, engines, tmp_path):
    file = tmp_path / "ayu.toml"
    file.write_text(written("ayu", 11, 24))
    assert len(load_tournament(file).engines) == engines


def test_all_games_have_one_table(output):
    heads = output("play", "--levels").splitlines()[2]
    assert [heads.index(create_game(name).title) for name in GAMES]


@pytest.mark.sampled
def test_one_turn_of_thought_beats_the_first_level_on_the_board_of_newcomers(facts):
    pytest.importorskip("numba")
    size = str(create_game("yodd").quick_size)
    first, second = "oddly engine greedy", "oddly engine rave --option level=1"
    words = ["--game", "yodd", "--size", size, "--games", "20", "--seed", "5"]
    value = facts("match", first, second, *words)
    standing = {row["name"]: row for row in value["tables"][0]["standings"]}
    assert standing["greedy"]["points"] > 10
