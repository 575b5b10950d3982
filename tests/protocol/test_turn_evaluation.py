"""The reply to `last_evaluation`: written, read, and ignored where it cannot be read."""

import pytest

from oddly.protocol.evaluation import TurnEvaluation, parse_turn_evaluation, turn_evaluation_in
from oddly.protocol.messages import NotationError


@pytest.mark.parametrize(
    ("evaluation", "text"),
    [
        (TurnEvaluation(0.471, 6, 24120, -1.5), "win_rate 0.471 depth 6 visits 24120 lead -1.5"),
        (TurnEvaluation(1.0), "win_rate 1.0"),
        (TurnEvaluation(0.00004, visits=1), "win_rate 0.0 visits 1"),
        (
            TurnEvaluation(0.5, 10**18 - 1, 10**17 + 1),
            f"win_rate 0.5 depth {10**18 - 1} visits {10**17 + 1}",
        ),
    ],
)
def test_it_is_written_and_read(evaluation, text):
    assert str(evaluation) == text
    assert str(parse_turn_evaluation(text)) == text
    assert str(TurnEvaluation.from_json(evaluation.as_json())) == text


def test_unknown_keys_and_any_order_are_read():
    assert parse_turn_evaluation(" mood good  depth 3 win_rate 0.5 ") == TurnEvaluation(0.5, 3)


@pytest.mark.parametrize(
    "text", ["", "0.5", "win_rate", "win_rate 2", "win_rate nan", "depth 3", "win_rate 1 lead x"]
)
def test_what_cannot_be_read_is_none(text):
    assert turn_evaluation_in(text) is None


def test_without_a_win_rate_the_refusal_points_at_the_start():
    with pytest.raises(NotationError, match=r"expected a win rate at character 1$"):
        parse_turn_evaluation("depth 3")
