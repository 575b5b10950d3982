"""The reply to `evaluate`, written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.games.drop_level import END
from oddly.games.turns import PASS, SWAP, Colour, Drop, Move
from oddly.protocol.evaluation import MAX_CANDIDATES, Candidate, Evaluation, parse_evaluation
from oddly.protocol.messages import NotationError

SHARES = st.integers(0, 10_000).map(lambda number: number / 10_000)
ACTIONS = st.sampled_from([END, PASS, SWAP, Drop(Colour.BLACK, "c3"), Move("a1", "b2")])
CANDIDATES = st.lists(st.builds(Candidate, ACTIONS, SHARES, SHARES), max_size=MAX_CANDIDATES)


@given(st.builds(Evaluation, SHARES, st.integers(0, 10**18 - 1), CANDIDATES.map(tuple)))
def test_what_is_written_is_read(evaluation):
    assert parse_evaluation(str(evaluation)) == evaluation


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a win rate and a number of simulations"),
        ("x 1", "a number from 0 to 1 at character 1"),
        ("nan 1", "a number from 0 to 1"),
        ("0.5 -1", "a number of simulations"),
        (f"0.5 {10**18}", "a number of simulations"),
        ("0.5 1\nBd4", "an action, its share and its win rate"),
        ("0.5 1\nBd4 0.5 2", "a number from 0 to 1 at character 9"),
        ("0.5 1\nBd4,Be4 0.5 0.5", "one drop"),
        ("0.5 1\nrubbish 0.5 0.5", "malformed"),
    ],
)
def test_other_text_is_refused(text, reason):
    with pytest.raises(NotationError, match=reason):
        parse_evaluation(text)


@given(st.text())
def test_any_text_is_an_evaluation_or_refused(text):
    try:
        parse_evaluation(text)
    except NotationError:
        return
