"""Xodd: the worked examples of its rules text, rebuilt without their pictures."""

import pytest

from oddly.games.colour import Colour
from oddly.games.errors import IllegalTurn
from tests.games.lockstep import illegality, turn_from_text
from tests.games.positions import diagram, joined, place, played, turns_of, turns_with


def test_diagonal_neighbours_do_not_connect():
    position = played("xodd", 5, "Bc3")
    assert illegality(position, "Bd4") == "PARITY"
    assert illegality(position, "Bd3") is None


def test_black_cannot_pass_on_his_first_turn():
    assert "pass" not in turns_of(played("xodd", 3))
    assert illegality(played("xodd", 3), "pass") in ("PARITY", "FIRST_TURN")


@pytest.mark.parametrize(
    ("stones", "far", "change"),
    [
        ("", "g7", 1),
        ("c4", "", 0),
        ("c4 e4", "g7", -1),
        ("c4 e4 d3", "", -2),
        ("c4 e4 d3 d5", "g7", -3),
    ],
    ids=["a new group", "extends", "joins 2", "joins 3", "joins 4"],
)
def test_a_drop_changes_parity_if_it_makes_a_group_or_joins_two_or_four_but_not_three(
    stones, far, change
):
    position = place("xodd", 7, black=stones, white=far)
    if change % 2:
        assert illegality(position, "Bd4") == "PARITY"
        after = position.play(turn_from_text("Bd4,Wa1"))
        change += 1
    else:
        after = position.play(turn_from_text("Bd4"))
    assert after.group_counts.total - position.group_counts.total == change


def test_example_1_joining_three_of_five_groups_is_a_turn_of_its_own():
    position = place("xodd", 7, black="c4 e4 d3", white="a7 g7")
    assert position.group_counts.total == 5
    assert position.play(turn_from_text("Bd4")).group_counts.total == 3
    assert illegality(position, "Bd4,Wb7") is None
    assert illegality(position, "Bd4,Wa1") == "PARITY"


def test_example_2_joining_four_of_seven_groups_calls_for_a_second_change():
    position = place("xodd", 7, black="c4 e4 d3 d5", white="a7 g7 g1")
    assert position.group_counts.total == 7
    assert illegality(position, "Bd4") == "PARITY"
    assert illegality(position, "Bd4,Wb7") == "PARITY"
    assert position.play(turn_from_text("Bd4,Ba1")).group_counts.total == 5


def test_example_3_black_cannot_take_both_points_that_would_join_two_white_groups():
    """One of the two black stones joins a black group, the other makes a new one: one too many."""
    position = place("xodd", 7, black="e3", white="c3 d4")
    with pytest.raises(IllegalTurn) as refusal:
        position.play(turn_from_text("Bd3,Bc4"))
    assert refusal.value.reason == (
        "that would leave 4 groups: 2 black, 2 white; the total must be odd"
    )


def test_example_4_two_consecutive_points_join_two_groups_and_that_changes_parity():
    """Black has 4 groups and White 5, so Black wins once both have passed."""
    position = place("xodd", 8, black="a8 h8 a1 h1", white="b4 e4 d1 d8 h4", to_move=Colour.WHITE)
    assert position.group_counts == (4, 5)
    assert illegality(position, "Wc4,Wd4") == "PARITY"
    end = position.play(turn_from_text("pass")).play(turn_from_text("pass"))
    assert str(end.result) == "B+1"


def test_example_4_of_two_points_that_are_not_consecutive_black_takes_both_partners():
    position = place("xodd", 8, black="h1", white="b4 e4 b7 e7", to_move=Colour.WHITE)
    after = position.play(turn_from_text("Wc4,Wc7")).play(turn_from_text("Bd4,Bd7"))
    assert after.group_counts == (3, 4)
    for drop in ("Wc5", "Wd5", "We5", "Wc3", "Wd3", "We3", "Wc6", "Wd6", "We6"):
        for turn in turns_with(after, drop):
            assert after.play(turn).group_counts.white >= 3
            assert not joined(after.play(turn), "b4", "e4")
            assert not joined(after.play(turn), "b7", "e7")


def test_near_the_end_a_joining_may_be_impossible_because_nothing_restores_parity():
    """White's stone at a4 would join two groups; the other empty points cannot mend it."""
    position = diagram(
        "xodd",
        4,
        """
         4 . O O .
         3 O X X X
         2 . . X O
         1 X O O O
           a b c d
        White (O) to move
        """,
    )
    assert position.group_counts == (2, 3)
    assert list(turns_with(position, "Wa4")) == []
    assert list(turns_with(position, "Wb2")) != []
