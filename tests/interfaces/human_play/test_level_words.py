"""Levels in words: what people choose from, with the measured strength beside it."""

import json
from pathlib import Path

import pytest

from benchmarks.level_lists import table as level_lists_table
from oddly.engines.level_lists import FILE, level_list, level_lists
from oddly.engines.levels import HIGHEST, levels
from oddly.games.catalogue import GAMES, create_game, read_game
from oddly.interfaces.human_play.sentences import level_text, what_the_ratings_say
from oddly.interfaces.web.server import _game_facts

ROOT = Path(__file__).parents[3]


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
    assert told["command"] in page
    assert told["date"] in page


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
