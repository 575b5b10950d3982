"""What a browser is told of a position: the groups that count."""

from random import Random

import pytest

from oddly.games import Colour, Drop, GroupCounts, Groups, create_game
from oddly.games.legal_turns import random_turn
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.web.practice import BoardRequest, line_view
from oddly.interfaces.web.views import colour_named, groups_view, progress_view

GAMES = [
    ("yodd", 3, {}),
    ("xodd", 4, {}),
    ("odd", 3, {"min_group": 3}),
    ("odd", 4, {"board": "square", "min_group": 1}),
    ("ayu", 5, {}),
]


def colours_of(groups, stones):
    """How many of the groups are black, and how many white."""
    found = [{stones[index] for index in group} for group in groups]
    assert all(len(colours) == 1 for colours in found)
    return [sum(colours == {symbol} for colours in found) for symbol in "XO"]


@pytest.mark.parametrize(("name", "size", "settings"), GAMES)
def test_the_groups_are_those_that_the_game_counts(name, size, settings):
    random = Random(f"{name} {size}")
    current = GameInProgress.of(create_game(name, size, settings))
    board = current.game.board
    while not current.is_over:
        view = progress_view(current)
        assert colours_of(view["groups"], view["stones"]) == [view["black"], view["white"]]
        whole = map(frozenset, Groups.of(board, current.partial.stones).members.values())
        assert {frozenset(group) for group in view["groups"]} <= set(whole)
        current = current.play(random_turn(current.position, random))
    texts = {key: str(value) for key, value in settings.items()}
    turns = [str(turn) for turn in current.turns]
    line = line_view(BoardRequest(game=name, size=size, settings=texts, turns=turns))
    assert len(line["frames"]) == len(turns) + 1
    for frame in line["frames"]:
        assert colours_of(frame["groups"], frame["stones"]) == [frame["black"], frame["white"]]


def test_the_stones_of_the_turn_are_among_the_groups():
    current = GameInProgress.of(create_game("yodd", 4)).click("d4", Colour.WHITE)
    assert progress_view(current)["groups"] == [[current.game.board.index["d4"]]]
    assert current.partial.drops == (Drop(Colour.WHITE, "d4"),)


def test_a_game_that_counts_something_else_has_no_outlines():
    game = create_game("yodd", 4)
    stones = [Colour.BLACK] * len(game.board)
    assert groups_view(game, stones, GroupCounts(1, 0)) == [list(range(len(game.board)))]
    assert groups_view(game, stones, GroupCounts(2, 0)) == []


@pytest.mark.parametrize("name", [None, "", "Black", "red", 1, ["black"], {}])
def test_what_names_no_colour_is_none(name):
    assert colour_named(name) is None


def test_colours_are_named_as_they_are_written():
    assert [colour_named(str(colour)) for colour in Colour] == list(Colour)
