"""Ayu: its rules text's examples rebuilt without pictures, its cycle, and the pie rule."""

import pytest

from oddly.games.ayu_units import closest_distance, unit_at
from oddly.games.turns import Colour
from tests.games.lockstep import illegality
from tests.games.positions import CYCLE, cycle_start, diagram, handed_over, place, played, turns_of

WHITE = Colour.WHITE
# The group on rank 6, the piece on d1, four moves away, and the one on f9, two away.
DISTANCES = diagram(
    "ayu",
    9,
    """
    9 . . . . . O . . .
    8 . . . . . . . . .
    7 . . . . . . . . .
    6 . . . O O O . . .
    5 . . . . . . . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . . . .
    1 . . . O . . . . X
      a b c d e f g h i
    White (O) to move
    """,
)
WALL_WITH_A_GAP = diagram(
    "ayu", 5, ". . . . .\n. . O . .\n. . O . .\nX . O . X\n. . O . .\nBlack (X) to move"
)
WALL = diagram("ayu", 5, ". . O . .\n. . O . .\n. . O X X\nX . O . .\n. . O . X\nBlack (X) to move")
BLOCKED = diagram(
    "ayu", 5, "X O . . .\nO O . . .\n. . O . O\nO . . . .\nX O . . .\nWhite (O) to move"
)
NEARLY_A_WALL = diagram(
    "ayu", 5, ". . O . .\n. . O O .\n. . . O .\n. . O . .\nX . O . X\nWhite (O) to move"
)
ENGAGED = place("ayu", 9, "b5 b7 e5 i5", "a1 c1 e1")
MOVES = {
    "a singleton moves to an adjacent point only": (
        place("ayu", 7, "a1 d1", "g7 g5"), "a1", "a1-b1",
        {"a1-c1": "NOT_ADJACENT", "a1-b2": "NOT_ADJACENT"},
    ),
    "a unit must get closer to its closest friend": (
        place("ayu", 7, "b2 d2", "g7 g5"), "b2", "b2-c2",
        {"b2-a2": "NOT_CLOSER", "b2-b3": "NOT_CLOSER"},
    ),
    "only an end of the row may move, and the middle would leave the group split": (
        DISTANCES, "d6 e6 f6", "d6-f7",
        {"e6-f7": "SPLITS_GROUP", "f6-e7": "NOT_CLOSER", "f6-d5": "NOT_CLOSER"},
    ),
    "a piece may not leave its group even to join another unit": (
        place("ayu", 7, "c4 d4 f4", "g7 g5"), "c4 d4", "c4-e4", {"d4-e4": "SPLITS_GROUP"},
    ),
    "the opponent's pieces block the path": (WALL_WITH_A_GAP, "a2", "a2-a3 a2-b2", {}),
    "a unit without a path to a friend cannot move": (WALL, "a2", "", {"a2-b2": "NOT_CLOSER"}),
    "engaged, a unit may not approach one friend while another is closer": (
        ENGAGED, "e5", "e5-d5", {"e5-f5": "NOT_CLOSER"},
    ),
}  # fmt: skip
"""A position, some of its pieces, all their legal moves, and the rules that others break."""


@pytest.mark.parametrize(("position", "pieces", "moves", "broken"), MOVES.values(), ids=MOVES)
def test_moves_are_those_of_the_text(position, pieces, moves, broken):
    legal = turns_of(position)
    assert {turn for turn in legal if turn.split("-")[0] in pieces.split()} == set(moves.split())
    assert {turn: illegality(position, turn) for turn in broken} == broken
    assert legal


def test_the_pieces_start_interspersed_thirty_a_side_on_11x11():
    start = played("ayu", 11)
    odd, even = ". X . X . X . X . X .", "O . O . O . O . O . O"
    rows = [*[odd, even] * 5, odd, "Black (X) to move"]
    assert start.key == diagram("ayu", 11, "\n".join(rows)).key
    assert [list(start.stones).count(colour) for colour in Colour] == [30, 30]
    assert start.group_counts == (30, 30)


def test_the_distance_is_the_number_of_moves_that_would_join_two_units():
    position, board, stones = DISTANCES, DISTANCES.game.board, list(DISTANCES.stones)
    group = unit_at(board, stones, board.index["e6"])
    assert closest_distance(board, stones, group) == 2
    stones[board.index["f9"]] = 0
    assert closest_distance(board, stones, group) == 4
    for turn in ("d1-d2", "d2-d3", "d3-d4", "d4-d5"):
        assert position.group_counts.white == 3
        position = handed_over(position.play(turn))
    assert position.group_counts.white == 2
    board, stones = WALL_WITH_A_GAP.game.board, WALL_WITH_A_GAP.stones
    assert closest_distance(board, stones, unit_at(board, stones, board.index["a2"])) == 9


def test_a_group_may_be_split_for_a_moment_and_a_joining_move_brings_the_distance_to_nought():
    """The corner piece e4 leaves d4 and e5 apart until it lands on d5 between them."""
    for black, turn in (("d4 e4 e5 b5", "e4-d5"), ("a1 c1 g1", "a1-b1")):
        assert place("ayu", 7, black, "g7 g5").play(turn).group_counts.black == 2


def test_engaged_a_unit_may_turn_to_another_friend_once_the_first_is_gone():
    """On rank 5, b5 is two moves from e5 and i5 three."""
    assert "e5-f5" in turns_of(handed_over(ENGAGED.play("b5-b6")))


@pytest.mark.parametrize(
    ("position", "turn", "counts", "result"),
    [
        (place("ayu", 5, "a1 a2 a3", "c1 e1", WHITE), "c1-d1", (1, 1), "B+"),
        (place("ayu", 5, "a1 c1", "e1 e5"), "a1-b1", (1, 2), "None"),
        (place("ayu", 5, "a1 c1", "e4 e5"), "a1-b1", (1, 1), "W+"),
        (BLOCKED, "e3-d3", (2, 4), "B+"),
        (NEARLY_A_WALL, "d4-c3", (2, 1), "B+"),
        (NEARLY_A_WALL, "c5-c3", (2, 1), "None"),
    ],
    ids=["all joined", "not yet his turn", "first out of moves", "blocked", "losing", "winning"],
)
def test_a_player_who_cannot_move_on_his_turn_wins(position, turn, counts, result):
    """The losing move leaves c4 and d3 apart for a moment, and its wall leaves Black no move."""
    assert not position.is_over
    end = position.play(turn)
    assert end.group_counts == counts
    assert str(end.result) == result
    if end.is_over:
        assert turns_of(end) == []
        assert illegality(end, "a1-a2") == "GAME_OVER"


def test_the_text_s_winning_sequence_leaves_black_a_move_and_then_white_has_none():
    position = NEARLY_A_WALL.play("c5-c3")
    assert {str(position.play(turn).result) for turn in position.legal_turns()} == {"W+"}


def test_a_position_that_occurs_again_with_the_same_player_to_move_is_a_draw():
    """The rules text calls cycles impossible; this one comes back after four legal turns."""
    start = end = cycle_start()
    assert handed_over(start).key != start.key
    for turn in CYCLE:
        assert end.result is None
        end = end.play(turn)
    assert end.key == start.key
    assert str(end.result) == "0"
    assert turns_of(end) == []
    assert illegality(end, CYCLE[0]) == "GAME_OVER"


@pytest.mark.parametrize(
    ("turns", "pie", "may_swap"),
    [
        ((), True, False),
        (("b1-c1",), True, True),
        (("b1-c1",), False, False),
        (("b1-c1", "a2-a3", "b3-c3"), True, False),
        (("b1-c1", "swap"), True, False),
    ],
)
def test_the_pie_rule_lets_white_swap_on_his_first_turn_only(turns, pie, may_swap):
    position = played("ayu", 5, *turns, pie=pie)
    assert ("swap" in turns_of(position)) == may_swap
    assert illegality(position, "swap") == (None if may_swap else "NO_SWAP")


def test_a_swap_leaves_the_pieces_and_white_to_move():
    opened = played("ayu", 5, "b1-c1", pie=True)
    swapped = opened.play("swap")
    assert list(swapped.stones) == list(opened.stones)
    assert swapped.to_move is WHITE
    assert swapped.key != opened.key
    assert swapped.result is None
    assert set(turns_of(swapped)) == set(turns_of(opened)) - {"swap"}


@pytest.mark.parametrize("turn", ["pass", "Bb2", ""])
def test_nobody_may_pass_or_drop(turn):
    assert illegality(played("ayu", 5), turn) == "WRONG_KIND"
