"""Yodd: the rules and worked examples of its text, rebuilt without their pictures."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.colour import Colour
from oddly.games.errors import IllegalTurn
from oddly.games.groups import Groups
from tests.games.brute_force import hexhex
from tests.games.lockstep import Pair, illegality, turn_from_text
from tests.games.positions import diagram, place, played, turns_of, turns_with

# Around the centre d4 of base 4 lie, in a ring, e4 d5 c5 c4 d3 e3; g1 and a7 are far from it.


def test_black_cannot_pass_on_his_first_turn():
    assert illegality(played("yodd", 3), "pass") in ("PARITY", "FIRST_TURN")
    assert "pass" not in turns_of(played("yodd", 3))


def test_blacks_first_turn_is_exactly_one_drop_of_either_colour():
    start = played("yodd", 3)
    assert sorted(turns_of(start)) == sorted(f"{c}{v}" for c in "BW" for v in hexhex(3))
    assert illegality(start, "Bc3,Bd3") == "FIRST_TURN"


def test_white_may_pass_at_once_and_black_from_his_second_turn():
    assert "pass" in turns_of(played("yodd", 3, "Bc3"))
    assert "pass" in turns_of(played("yodd", 3, "Bc3", "Bc4"))


@pytest.mark.parametrize("turn", ["Bd3", "Be3,Be2", "Wa3,Be3", "Bd3,Bb3", "Wa3,Bc1"])
@pytest.mark.parametrize("passes", [(), ("pass",)], ids=["White", "Black"])
def test_either_player_may_drop_either_colour_or_both(turn, passes):
    position = played("yodd", 3, "Bc3", *passes)
    legal = illegality(position, turn) is None
    assert legal == (turn != "Be3,Be2")


def test_the_order_of_two_drops_does_not_matter():
    assert turn_from_text("Ba3,We3") == turn_from_text("We3,Ba3")
    assert turns_of(played("yodd", 3, "Bc3")).count("Ba3,We3") == 1
    assert "We3,Ba3" not in turns_of(played("yodd", 3, "Bc3"))


def test_two_drops_on_one_cell_are_illegal():
    position = played("yodd", 3, "Bc3")
    assert illegality(position, "Ba3,Wa3") == "SAME_VERTEX"
    assert illegality(position, "Ba3,Ba3") == "SAME_VERTEX"


def test_two_passes_in_succession_end_the_game():
    position = played("yodd", 3, "Bc3", "pass", "pass")
    assert position.is_over
    assert turns_of(position) == []
    assert illegality(position, "Bc4") == "GAME_OVER"
    assert illegality(position, "pass") == "GAME_OVER"


def test_a_pass_before_and_a_pass_after_a_drop_do_not_end_the_game():
    position = played("yodd", 3, "Bc3", "pass", "Bc4", "pass")
    assert not position.is_over
    assert position.play(turn_from_text("pass")).is_over


def test_on_a_full_board_both_players_still_have_to_pass():
    full = diagram(
        "yodd",
        2,
        """
           O X  3
          X O O  2
         a X X  1
          b c
        """,
    )
    assert turns_of(full) == ["pass"]
    once = full.play(turn_from_text("pass"))
    assert not once.is_over
    assert turns_of(once) == ["pass"]
    assert once.play(turn_from_text("pass")).is_over


@pytest.mark.parametrize(
    ("stones", "far", "change"),
    [
        ("", "g1", 1),
        ("e4", "", 0),
        ("e4 d5", "", 0),
        ("e4 c5", "g1", -1),
        ("e4 d5 c4", "g1", -1),
        ("e4 c5 d3", "", -2),
    ],
    ids=["a new group", "to a single", "to a pair", "joins 2", "joins 2 unequal", "joins 3"],
)
def test_a_drop_changes_parity_if_it_makes_a_group_or_joins_two_but_not_if_it_joins_three(
    stones, far, change
):
    position = place("yodd", 4, black=stones, white=far)
    if change % 2:
        assert illegality(position, "Bd4") == "PARITY"
    else:
        after = position.play(turn_from_text("Bd4"))
        assert after.group_counts.total - position.group_counts.total == change


@pytest.mark.parametrize("name", ["yodd", "xodd"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_second_drop_must_change_parity_exactly_if_the_first_did(name, seed):
    random = Random(seed)
    pair = Pair.at_start(name, 3 if name == "yodd" else 4, {}).play("Bb3")
    for _ in range(random.randrange(8)):
        turns = [turn for turn in pair.naive.legal_turns if turn != "pass"] or ["pass"]
        pair = pair.play(random.choice(turns))
        if pair.position.is_over:
            return
    drops = [f"{c}{v}" for v in pair.naive.neighbours if v not in pair.naive.stones for c in "BW"]
    for _ in range(50):
        first, second = random.choice(drops), random.choice(drops)
        if first[1:] == second[1:]:
            continue
        totals = [
            sum(pair.naive.after(turn).counts) for turn in ("pass", first, f"{first},{second}")
        ]
        first_changes, second_changes = totals[1] - totals[0], totals[2] - totals[1]
        expected = first_changes % 2 == second_changes % 2
        assert pair.position.is_legal(turn_from_text(f"{first},{second}")) == expected


def test_example_1_joining_three_groups_is_a_turn_of_its_own():
    """Five groups; a black stone at d4 leaves two fewer, so the second drop may not change it."""
    position = place("yodd", 4, black="e4 c5 d3", white="d7 d1")
    assert position.group_counts == (3, 2)
    after = position.play(turn_from_text("Bd4"))
    assert after.group_counts == (1, 2)
    assert illegality(position, "Bd4,Bc4") is None
    assert illegality(position, "Bd4,Wd6") is None
    assert illegality(position, "Bd4,Wg1") == "PARITY"


def test_example_2_joining_two_groups_calls_for_a_second_drop_that_changes_parity():
    position = place("yodd", 4, black="e4 c4", white="d1")
    assert position.group_counts.total == 3
    assert illegality(position, "Bd4") == "PARITY"
    assert illegality(position, "Bd4,Ba7") is None
    assert illegality(position, "Bd4,Wa7") is None
    assert illegality(position, "Bd4,Wd2") == "PARITY"
    assert illegality(position, "Bd4,Bf4") == "PARITY"


def test_example_3_joining_across_two_cells_would_leave_four_groups_of_five():
    position = place("yodd", 4, black="b4 e4", white="d1 g1 a7")
    assert position.group_counts == (2, 3)
    with pytest.raises(IllegalTurn) as refusal:
        position.play(turn_from_text("Bc4,Bd4"))
    assert refusal.value.reason == (
        "that would leave 4 groups: 1 black, 3 white; the total must be odd"
    )


def test_example_4_fewer_groups_win_and_the_last_joining_cannot_be_paid_for():
    """White's stone at c3 would join two groups; no other cell then changes parity once more."""
    position = diagram(
        "yodd",
        3,
        """
            . . O  5
           O X X O  4
          X X . O .  3
         a O O X X  2
          b O . X  1
           c d e
        White (O) to move
        """,
    )
    assert position.group_counts == (2, 3)
    joined = Groups.of(position.game.board, position.stones).with_drop(
        position.game.board.index["c3"], Colour.WHITE
    )
    assert joined.counts == (2, 2)
    assert list(turns_with(position, "Wc3")) == []
    end = position.play(turn_from_text("pass")).play(turn_from_text("pass"))
    assert str(end.result) == "B+1"


def test_the_player_with_fewer_groups_wins_whoever_ended_the_game():
    for to_move in Colour:
        position = place("yodd", 4, black="a4 d1 a7", white="d4 g1", to_move=to_move)
        end = position.play(turn_from_text("pass")).play(turn_from_text("pass"))
        assert str(end.result) == "W+1"
