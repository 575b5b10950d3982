"""Odd: its rules as examples, the parity of the groups and the threshold above all."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.errors import GameError
from tests.games.lockstep import illegality
from tests.games.positions import diagram, played, turns_of

# Black's groups have 4 and 1 stones, White's 3 and 1.
FULL = """
     3 X X X
     2 O O X
     1 O X O
       a b c
    White (O) to move
    """


@pytest.mark.parametrize(
    ("min_group", "counts", "result"),
    [
        (1, (2, 2), "W+"),
        (2, (1, 1), "W+"),
        (3, (1, 1), "W+"),
        (4, (1, 0), "B+"),
        (5, (0, 0), "W+"),
    ],
)
def test_player_1_wins_with_an_odd_number_of_groups_of_at_least_the_threshold(
    min_group, counts, result
):
    position = diagram("odd", 3, FULL, board="square", min_group=min_group)
    assert position.group_counts == counts
    assert str(position.result) == result


@pytest.mark.parametrize(
    ("size", "last", "result"), [(2, "Bb2", "B+"), (2, "Wb2", "B+"), (3, "Bc3", "B+")]
)
def test_one_group_of_both_colours_together_is_odd(size, last, result):
    """A ring of Black around the centre: one group of five or more, whatever the centre is."""
    others = [turn for turn in turns_of(played("odd", size)) if turn[0] == "B"]
    others.remove(f"B{last[1:]}")
    end = played("odd", size, *others, last)
    assert end.is_over
    assert str(end.result) == result


def test_the_threshold_is_five_and_the_board_hexhex_of_base_five_unless_said_otherwise():
    game = create_game("odd")
    assert (game.size, dict(game.settings)) == (5, {"board": "hexhex", "min_group": 5})
    assert len(game.board) == 61


def test_on_each_turn_one_stone_of_either_colour_is_placed():
    position = played("odd", 2, "Wb2")
    assert len(turns_of(position)) == 2 * 6
    assert illegality(position, "Wb1") is None
    assert illegality(position, "Bb1,Wc1") == "DROP_COUNT"


def test_nobody_may_pass():
    assert illegality(played("odd", 2), "pass") == "WRONG_KIND"
    assert illegality(played("odd", 2, "Wb2"), "pass") == "WRONG_KIND"


def test_parity_asks_nothing_of_a_turn_before_the_board_is_full():
    position = played("odd", 3, "Bc3", "Wc4", "Ba3", "We3", min_group=1)
    assert position.group_counts.total == 4
    assert position.result is None


def test_the_game_ends_when_the_board_is_full_and_not_before():
    turns = ["Ba1", "Wb1", "Ba2"]
    position = played("odd", 2, *turns, board="square")
    assert not position.is_over
    for last in ("Bb2", "Wb2"):
        end = played("odd", 2, *turns, last, board="square")
        assert end.is_over
        assert turns_of(end) == []


@pytest.mark.parametrize("min_group", [0, -1])
def test_a_threshold_below_one_stone_is_refused(min_group):
    with pytest.raises(GameError, match="min_group"):
        create_game("odd", 3, {"min_group": min_group})
