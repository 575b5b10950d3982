"""Ayu: its rules text's examples rebuilt without pictures, its cycle, and the pie rule."""

import pytest

from oddly.games.colour import Colour
from oddly.games.game import Position
from oddly.games.groups import closest_distance, unit_at
from tests.games.lockstep import illegality, turn_from_text
from tests.games.positions import diagram, handed_over, place, played, turns_of

WHITE = Colour.WHITE


def moves_from(position: Position, *origins: str) -> set[str]:
    """The legal moves of the pieces on these points."""
    return {turn for turn in turns_of(position) if turn.split("-")[0] in origins}


def test_the_pieces_start_interspersed_thirty_a_side_on_11x11():
    start = played("ayu", 11)
    expected = diagram(
        "ayu",
        11,
        """
        11 . X . X . X . X . X .
        10 O . O . O . O . O . O
         9 . X . X . X . X . X .
         8 O . O . O . O . O . O
         7 . X . X . X . X . X .
         6 O . O . O . O . O . O
         5 . X . X . X . X . X .
         4 O . O . O . O . O . O
         3 . X . X . X . X . X .
         2 O . O . O . O . O . O
         1 . X . X . X . X . X .
           a b c d e f g h i j k
        Black (X) to move
        """,
    )
    assert start.key == expected.key
    assert [list(start.stones).count(colour) for colour in Colour] == [30, 30]
    assert start.group_counts == (30, 30)


def test_a_singleton_moves_to_an_adjacent_point_only():
    position = place("ayu", 7, black="a1 d1", white="g7 g5")
    assert moves_from(position, "a1") == {"a1-b1"}
    assert illegality(position, "a1-c1") == "NOT_ADJACENT"
    assert illegality(position, "a1-b2") == "NOT_ADJACENT"


def test_a_unit_must_get_closer_to_its_closest_friend():
    position = place("ayu", 7, black="b2 d2", white="g7 g5")
    assert moves_from(position, "b2") == {"b2-c2"}
    assert illegality(position, "b2-a2") == "NOT_CLOSER"
    assert illegality(position, "b2-b3") == "NOT_CLOSER"


DISTANCES = """
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
    """


def test_the_distance_is_the_number_of_moves_that_would_join_two_units():
    """A is the group on rank 6, B the piece on d1, four moves away, C the one on f9, two away."""
    position = diagram("ayu", 9, DISTANCES)
    board, stones = position.game.board, list(position.stones)
    group = unit_at(board, stones, board.index["e6"])
    assert closest_distance(board, stones, group) == 2
    stones[board.index["f9"]] = 0
    assert closest_distance(board, stones, group) == 4
    for turn in ("d1-d2", "d2-d3", "d3-d4", "d4-d5"):
        assert position.group_counts.white == 3
        position = position.play(turn_from_text(turn))
        position = handed_over(position)
    assert position.group_counts.white == 2


def test_a_group_must_get_closer_to_the_closest_unit_and_only_an_end_of_the_row_may_move():
    """Towards C only f7 will do; e6 in the middle would leave the group split."""
    position = diagram("ayu", 9, DISTANCES)
    assert moves_from(position, "d6", "e6", "f6") == {"d6-f7"}
    assert illegality(position, "e6-f7") == "SPLITS_GROUP"
    assert illegality(position, "f6-e7") == "NOT_CLOSER"
    assert illegality(position, "f6-d5") == "NOT_CLOSER"


def test_a_group_may_be_split_for_a_moment_if_its_piece_joins_it_again():
    """The corner piece e4 leaves d4 and e5 apart until it lands on d5 between them."""
    position = place("ayu", 7, black="d4 e4 e5 b5", white="g7 g5")
    assert "e4-d5" in turns_of(position)
    assert position.play(turn_from_text("e4-d5")).group_counts.black == 2


def test_a_piece_may_not_leave_its_group_even_to_join_another_unit():
    position = place("ayu", 7, black="c4 d4 f4", white="g7 g5")
    assert illegality(position, "d4-e4") in ("SPLITS_GROUP", "NOT_ADJACENT")
    assert moves_from(position, "c4", "d4") == {"c4-e4"}


def test_a_move_that_joins_two_units_brings_their_distance_to_nought():
    position = place("ayu", 7, black="a1 c1 g1", white="g7 g5")
    after = position.play(turn_from_text("a1-b1"))
    assert after.group_counts.black == 2


def test_the_opponents_pieces_block_the_path():
    """Between the two black pieces stands a wall with one gap, so the way is long."""
    position = diagram(
        "ayu",
        5,
        """
        5 . . . . .
        4 . . O . .
        3 . . O . .
        2 X . O . X
        1 . . O . .
          a b c d e
        Black (X) to move
        """,
    )
    board = position.game.board
    unit = unit_at(board, position.stones, board.index["a2"])
    assert closest_distance(board, position.stones, unit) == 9
    assert moves_from(position, "a2") == {"a2-a3", "a2-b2"}


def test_a_unit_without_a_path_to_a_friend_cannot_move():
    position = diagram(
        "ayu",
        5,
        """
        5 . . O . .
        4 . . O . .
        3 . . O X X
        2 X . O . .
        1 . . O . X
          a b c d e
        Black (X) to move
        """,
    )
    assert moves_from(position, "a2") == set()
    assert illegality(position, "a2-b2") == "NOT_CLOSER"
    assert turns_of(position)


def test_a_player_who_has_joined_all_his_pieces_wins_on_his_turn():
    position = place("ayu", 5, black="a1 a2 a3", white="c1 e1", to_move=WHITE)
    assert not position.is_over
    end = position.play(turn_from_text("c1-d1"))
    assert end.is_over
    assert str(end.result) == "B+"


def test_a_player_with_a_single_unit_wins_only_once_it_is_his_turn():
    """The last joining move gives the opponent the turn, who may be first to be out of moves."""
    joining = place("ayu", 5, black="a1 c1", white="e1 e5")
    after = joining.play(turn_from_text("a1-b1"))
    assert after.result is None
    both = place("ayu", 5, black="a1 c1", white="e4 e5").play(turn_from_text("a1-b1"))
    assert str(both.result) == "W+"


def test_a_blocked_player_wins_with_however_many_units():
    """Both black pieces are walled in; whatever White does, Black cannot move."""
    position = diagram(
        "ayu",
        5,
        """
        5 X O . . .
        4 O O . . .
        3 . . O . O
        2 O . . . .
        1 X O . . .
          a b c d e
        White (O) to move
        """,
    )
    assert position.group_counts.black == 2
    end = position.play(turn_from_text("e3-d3"))
    assert str(end.result) == "B+"
    assert turns_of(end) == []
    assert illegality(end, "a1-a2") == "GAME_OVER"


NEARLY_A_WALL = """
    5 . . O . .
    4 . . O O .
    3 . . . O .
    2 . . O . .
    1 X . O . X
      a b c d e
    White (O) to move
    """


def test_the_text_s_losing_move_shuts_black_in_and_splits_the_group_for_a_moment():
    """d4 leaves c4 and d3 apart until it lands on c3; the wall then leaves Black no move."""
    position = diagram("ayu", 5, NEARLY_A_WALL)
    end = position.play(turn_from_text("d4-c3"))
    assert end.group_counts == (2, 1)
    assert str(end.result) == "B+"


def test_the_text_s_winning_sequence_leaves_black_a_move_and_then_white_has_none():
    position = diagram("ayu", 5, NEARLY_A_WALL).play(turn_from_text("c5-c3"))
    assert position.group_counts == (2, 1)
    assert not position.is_over
    for turn in position.legal_turns():
        assert str(position.play(turn).result) == "W+"


def test_engaged_a_unit_may_not_approach_one_friend_while_another_is_closer():
    """On rank 5, b5 is two moves from e5 and i5 three; b5 has to go before e5 can turn to i5."""
    position = place("ayu", 9, black="b5 b7 e5 i5", white="a1 c1 e1")
    assert illegality(position, "e5-f5") == "NOT_CLOSER"
    assert "e5-d5" in turns_of(position)
    gone = handed_over(position.play(turn_from_text("b5-b6")))
    assert "e5-f5" in turns_of(gone)


def cycle_start() -> Position:
    return place("ayu", 5, black="b2 b5 c2 d2 d3 d4", white="a1 a2 a3 a4 e2 e3")


def test_a_position_that_occurs_again_with_the_same_player_to_move_is_a_draw():
    """The rules text calls cycles impossible; this one comes back after four legal turns."""
    start = position = cycle_start()
    for turn in ("d4-b3", "a1-b4", "b3-d4"):
        position = position.play(turn_from_text(turn))
        assert position.result is None
    end = position.play(turn_from_text("b4-a1"))
    assert end.key == start.key
    assert end.is_over
    assert str(end.result) == "0"
    assert turns_of(end) == []
    assert illegality(end, "d4-b3") == "GAME_OVER"


def test_the_same_pieces_with_the_other_player_to_move_are_another_position():
    position = cycle_start()
    assert handed_over(position).key != position.key


def test_the_pie_rule_lets_white_swap_on_his_first_turn_only():
    opened = played("ayu", 5, "b1-c1", pie=True)
    assert "swap" in turns_of(opened)
    assert illegality(played("ayu", 5, pie=True), "swap") == "NO_SWAP"
    later = played("ayu", 5, "b1-c1", "a2-a3", "b3-c3", pie=True)
    assert "swap" not in turns_of(later)
    assert illegality(later, "swap") == "NO_SWAP"


def test_without_the_pie_rule_there_is_no_swap():
    opened = played("ayu", 5, "b1-c1")
    assert "swap" not in turns_of(opened)
    assert illegality(opened, "swap") == "NO_SWAP"


def test_a_swap_leaves_the_pieces_and_white_to_move_and_cannot_be_swapped_back():
    opened = played("ayu", 5, "b1-c1", pie=True)
    swapped = opened.play(turn_from_text("swap"))
    assert list(swapped.stones) == list(opened.stones)
    assert swapped.to_move is WHITE
    assert swapped.key != opened.key
    assert swapped.result is None
    assert set(turns_of(swapped)) == set(turns_of(opened)) - {"swap"}


@pytest.mark.parametrize("turn", ["pass", "Bb2", ""])
def test_nobody_may_pass_or_drop(turn):
    assert illegality(played("ayu", 5), turn) == "WRONG_KIND"
