"""What people read beside the board, where the other side has passed."""

import pytest

from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.sentences import passed_sentence
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
