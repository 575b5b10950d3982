"""Odd: its rules as examples, the parity of the groups and the threshold above all."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.errors import GameError
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


@pytest.mark.parametrize("min_group", [0, -1])
def test_a_threshold_below_one_stone_is_refused(min_group):
    with pytest.raises(GameError, match="min_group"):
        create_game("odd", 3, {"min_group": min_group})
