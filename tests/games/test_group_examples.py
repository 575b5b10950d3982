"""Yodd, Xodd and Odd: the rules and worked examples of their texts, rebuilt without pictures."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.groups import Groups
from oddly.games.turns import Colour, GameError
from tests.games.brute_force import hexhex
from tests.games.lockstep import illegality, turn_from_text
from tests.games.positions import NEARLY_FULL, diagram, joined, place, played, turns_of, turns_with

WHITE = Colour.WHITE
FIRST = played("yodd", 3, "Bc3")
TURNS = {
    "either player may drop either colour or both": (
        FIRST, {"Bd3": 1, "Be3,Be2": "PARITY", "Wa3,Be3": 3, "Bd3,Bb3": 1, "Wa3,Bc1": 3},
    ),
    "two drops on one cell are illegal": (
        FIRST, {"Ba3,Wa3": "SAME_VERTEX", "Ba3,Ba3": "SAME_VERTEX"},
    ),
    "Black's first turn is one drop": (played("yodd", 3), {"Bc3": 1, "Bc3,Bd3": "FIRST_TURN"}),
    "diagonal neighbours do not connect": (played("xodd", 5, "Bc3"), {"Bd4": "PARITY", "Bd3": 1}),
    "Yodd 1: joining three of five groups is a turn of its own": (
        place("yodd", 4, "e4 c5 d3", "d7 d1"),
        {"Bd4": 3, "Bd4,Bc4": 3, "Bd4,Wd6": 3, "Bd4,Wg1": "PARITY"},
    ),
    "Yodd 2: joining two groups calls for a second drop that changes parity": (
        place("yodd", 4, "e4 c4", "d1"),
        {"Bd4": "PARITY", "Bd4,Ba7": 3, "Bd4,Wa7": 3, "Bd4,Wd2": "PARITY", "Bd4,Bf4": "PARITY"},
    ),
    "Yodd 3: joining across two cells would leave four groups of five": (
        place("yodd", 4, "b4 e4", "d1 g1 a7"), {"Bc4,Bd4": "PARITY"},
    ),
    "Xodd 1: joining three of five groups is a turn of its own": (
        place("xodd", 7, "c4 e4 d3", "a7 g7"), {"Bd4": 3, "Bd4,Wb7": 3, "Bd4,Wa1": "PARITY"},
    ),
    "Xodd 2: joining four of seven groups calls for a second change": (
        place("xodd", 7, "c4 e4 d3 d5", "a7 g7 g1"),
        {"Bd4": "PARITY", "Bd4,Wb7": "PARITY", "Bd4,Ba1": 5},
    ),
    "Xodd 3: of both points that join White, one joins Black and one is new": (
        place("xodd", 7, "e3", "c3 d4"), {"Bd3,Bc4": "PARITY"},
    ),
    "Xodd 4: two consecutive points join two groups, and that changes parity": (
        place("xodd", 8, "a8 h8 a1 h1", "b4 e4 d1 d8 h4", WHITE), {"Wc4,Wd4": "PARITY"},
    ),
}  # fmt: skip
"""For each position the groups after a turn, or the rule that it breaks."""
# Around the centre d4 of base 4 lie, in a ring, e4 d5 c5 c4 d3 e3; g1 and a7 are far from it.
CHANGES = [
    ("yodd", "", "g1", 1),
    ("yodd", "e4", "", 0),
    ("yodd", "e4 d5", "", 0),
    ("yodd", "e4 c5", "g1", -1),
    ("yodd", "e4 d5 c4", "g1", -1),
    ("yodd", "e4 c5 d3", "", -2),
    ("xodd", "", "g7", 1),
    ("xodd", "c4", "", 0),
    ("xodd", "c4 e4", "g7", -1),
    ("xodd", "c4 e4 d3", "", -2),
    ("xodd", "c4 e4 d3 d5", "g7", -3),
]


@pytest.mark.parametrize(("position", "turns"), TURNS.values(), ids=TURNS)
def test_turns_leave_so_many_groups_or_break_a_rule(position, turns):
    for turn, expected in turns.items():
        if isinstance(expected, int):
            assert position.play(turn).group_counts.total == expected
        else:
            assert illegality(position, turn) == expected


@pytest.mark.parametrize(("name", "stones", "far", "change"), CHANGES)
def test_a_drop_changes_parity_if_it_makes_a_group_or_joins_two_or_four_but_not_three(
    name, stones, far, change
):
    position = place(name, 4 if name == "yodd" else 7, stones, far)
    turn, more = "Bd4", 0
    if change % 2:
        assert illegality(position, "Bd4") == "PARITY"
        turn, more = ("Bd4,Wa7" if name == "yodd" else "Bd4,Wa1"), 1
    after = position.play(turn)
    assert after.group_counts.total - position.group_counts.total == change + more


def test_black_cannot_pass_on_his_first_turn_and_white_may_at_once():
    start = played("yodd", 3)
    assert sorted(turns_of(start)) == sorted(f"{c}{v}" for c in "BW" for v in hexhex(3))
    assert illegality(start, "pass") in ("PARITY", "FIRST_TURN")
    assert "pass" not in turns_of(played("xodd", 3))
    assert "pass" in turns_of(FIRST)
    assert "pass" in turns_of(played("yodd", 3, "Bc3", "Bc4"))


def test_the_order_of_two_drops_does_not_matter():
    assert turn_from_text("Ba3,We3") == turn_from_text("We3,Ba3")


def test_two_passes_in_succession_end_the_game_and_not_with_a_drop_between():
    position = FIRST.play("pass").play("pass")
    assert position.is_over
    assert turns_of(position) == []
    assert illegality(position, "pass") == "GAME_OVER"
    once = played("yodd", 3, "Bc3", "pass", "Bc4", "pass")
    assert not once.is_over
    assert once.play("pass").is_over


def test_on_a_full_board_both_players_still_have_to_pass():
    full = diagram("yodd", 2, "  O X\n X O O\n  X X")
    assert turns_of(full) == turns_of(full.play("pass")) == ["pass"]
    assert full.play("pass").play("pass").is_over


def test_yodd_4_fewer_groups_win_and_the_last_joining_cannot_be_paid_for():
    """White's stone at c3 would join two groups; no other cell then changes parity once more."""
    position = NEARLY_FULL
    assert position.group_counts == (2, 3)
    groups = Groups.of(position.game.board, position.stones)
    assert groups.with_drop(position.game.board.index["c3"], WHITE).counts == (2, 2)
    assert list(turns_with(position, "Wc3")) == []
    assert str(position.play("pass").play("pass").result) == "B+1"


@pytest.mark.parametrize("to_move", list(Colour))
def test_the_player_with_fewer_groups_wins_whoever_ended_the_game(to_move):
    position = place("yodd", 4, "a4 d1 a7", "d4 g1", to_move)
    assert str(position.play("pass").play("pass").result) == "W+1"
    position = place("xodd", 8, "a8 h8 a1 h1", "b4 e4 d1 d8 h4", to_move)
    assert str(position.play("pass").play("pass").result) == "B+1"


def test_xodd_4_of_two_points_that_are_not_consecutive_black_takes_both_partners():
    position = place("xodd", 8, "h1", "b4 e4 b7 e7", WHITE)
    after = position.play("Wc4,Wc7").play("Bd4,Bd7")
    assert after.group_counts == (3, 4)
    for drop in ("Wc5", "Wd5", "We5", "Wc3", "Wd3", "We3", "Wc6", "Wd6", "We6"):
        for turn in turns_with(after, drop):
            assert after.play(turn).group_counts.white >= 3
            assert not joined(after.play(turn), "b4", "e4")
            assert not joined(after.play(turn), "b7", "e7")


def test_near_the_end_a_joining_may_be_impossible_because_nothing_restores_parity():
    """White's stone at a4 would join two groups; the other empty points cannot mend it."""
    rows = " 4 . O O .\n 3 O X X X\n 2 . . X O\n 1 X O O O\n   a b c d\nWhite (O) to move"
    position = diagram("xodd", 4, rows)
    assert position.group_counts == (2, 3)
    assert list(turns_with(position, "Wa4")) == []
    assert list(turns_with(position, "Wb2")) != []


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
    [(1, (2, 2), "W+"), (2, (1, 1), "W+"), (3, (1, 1), "W+"), (4, (1, 0), "B+"), (5, (0, 0), "W+")],
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
