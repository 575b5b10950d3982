"""What the page of a game tells of its players."""

import pytest

from oddly.interfaces.arena.pages.shown import SpectatedGame
from oddly.protocol import TurnEvaluation
from oddly.referee import PlayedTurn


def expected(*evaluations, at):
    turns = [
        PlayedTurn(("black", "white")[number % 2], "pass", 1.0, evaluation)
        for number, evaluation in enumerate(evaluations)
    ]
    return SpectatedGame("1", "pool", ("one", "other"), (), turns, None, None).expected(at)


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        (TurnEvaluation(0.754), "expects 75 %"),
        (TurnEvaluation(1.0, lead=1.46), "expects 100 %, ahead by 1.5"),
        (
            TurnEvaluation(0.2, 6, 24120, -2.0),
            "expects 20 %, behind by 2.0, 6 turns deep, 24,120 visits",
        ),
    ],
)
def test_all_that_an_engine_said_is_told(evaluation, words):
    assert expected(evaluation, at=1) == [words, ""]


def test_what_was_said_last_counts():
    one, other = TurnEvaluation(0.5), TurnEvaluation(0.6)
    assert expected(one, None, other, None, at=4) == ["expects 60 %", ""]
    assert expected(one, None, other, None, at=2) == ["expects 50 %", ""]
    assert expected(one, other, None, None, at=4) == ["expects 50 %", "expects 60 %"]
