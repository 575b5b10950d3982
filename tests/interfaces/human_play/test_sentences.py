"""What people read beside the board, where the other side has passed."""

import pytest

from oddly.games import create_game
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.sentences import owed, passed_sentence, total_text
from oddly.protocol.notation import parse_turn
from tests.games.positions import played


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("Bc3", ""),
        ("Bc3 pass", "White has passed. If you pass too, the game ends and White wins."),
        (
            "Bc3 Ba3,Be3 pass",
            "Black has passed. If you pass too, the game ends and White wins.",
        ),
        ("Bc3 pass pass", ""),
    ],
)
def test_what_a_second_pass_means_is_said(turns, said):
    current = GameInProgress.of(played("yodd", 3).game)
    for turn in turns.split():
        current = current.play(parse_turn(turn))
    assert passed_sentence(current) == said


@pytest.mark.parametrize(
    ("game", "size", "turns", "clicks", "counted", "said"),
    [
        ("yodd", 4, "", "", "0, even", "one drop"),
        ("yodd", 4, "", "d4", "1, odd", "an end"),
        ("yodd", 4, "Bd4", "", "1, odd", "1 or 2 drops or a pass"),
        ("yodd", 4, "Bd4", "a4", "2, even", "one more drop"),
        ("yodd", 4, "Bd4", "a4 g4", "3, odd", "an end"),
        ("yodd", 4, "Bd4", "d5", "2, even", "one more drop"),
        ("yodd", 4, "Bd4 Wa4,Wg4", "d5", "3, odd", "one more drop or an end"),
        ("yodd", 4, "Bd4 pass pass", "", "1, odd", ""),
        ("odd", 3, "", "", "0, even: good for White", "one drop"),
        ("ayu", 5, "", "", "", "a move"),
        ("ayu", 5, "", "b1", "", "a place for b1"),
    ],
)
def test_what_is_counted_and_owed_is_said_in_brief(game, size, turns, clicks, counted, said):
    current = GameInProgress.of(create_game(game, size))
    for turn in turns.split():
        current = current.play(parse_turn(turn))
    for vertex in clicks.split():
        current = current.click(vertex)
    assert (total_text(current), owed(current)) == (counted, said)


def test_a_turn_that_neither_ends_nor_goes_on_needs_another_colour():
    current = GameInProgress.of(create_game("yodd", 4)).play(parse_turn("Bd4"))
    current = current.click("d5").click("a4").click("d5")
    assert (total_text(current), owed(current)) == ("2, even", "another colour")
