"""Levels in words: what people choose from, with the measured strength beside it."""

import json

import pytest

from oddly.engines.levels import HIGHEST, levels
from oddly.games.catalogue import GAMES, create_game
from oddly.interfaces.command_line import main
from oddly.interfaces.human_play.sentences import level_text, what_the_ratings_say
from oddly.interfaces.web.server import _game_facts


@pytest.mark.parametrize("name", GAMES)
def test_page_and_terminal_show_every_level_with_its_strength(name, capsys):
    game = create_game(name)
    known = levels(game)
    shown = [facts["text"] for facts in _game_facts(game)["levels"]]
    assert shown == [level_text(level) for level in known]
    assert shown[0] == "Level 1, first game"
    assert main(["play", "--levels", "--game", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    for level, text in zip(known, shown, strict=True):
        assert not level.rating or text.endswith(f"{level.name} (+{level.rating} Elo)")
        row = f"{level.number} {level.name} +{level.rating}"
        assert any(" ".join(line.split()) == row for line in lines)
    assert lines[-1] == what_the_ratings_say(game)
    assert len(known) == HIGHEST


def test_all_games_have_one_table(capsys):
    assert main(["play", "--levels"]) == 0
    heads = capsys.readouterr().out.splitlines()[2]
    assert [heads.index(create_game(name).title) for name in GAMES]


@pytest.mark.sampled
def test_one_turn_of_thought_beats_the_first_level_on_the_board_of_newcomers(capsys):
    pytest.importorskip("numba")
    size = str(create_game("yodd").quick_size)
    first, second = "oddly engine greedy", "oddly engine rave --option level=1"
    words = ["--game", "yodd", "--size", size, "--games", "20", "--seed", "5"]
    assert main(["match", first, second, *words, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    standing = {row["name"]: row for row in value["tables"][0]["standings"]}
    assert standing["greedy"]["points"] > 10
