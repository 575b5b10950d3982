"""Opinions of engines, replies to `analyze`, `evaluate` and `last_evaluation`: written and read.

What cannot be read of them is refused, or ignored.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.games.drop_level import END
from oddly.games.turns import PASS, SWAP, Colour, Drop, Move
from oddly.protocol.evaluation import (
    MAX_CANDIDATES,
    MAX_RANKED,
    Analysis,
    Candidate,
    Evaluation,
    RankedTurn,
    TurnEvaluation,
    parse_analysis,
    parse_evaluation,
    parse_turn_evaluation,
    turn_evaluation_in,
)
from oddly.protocol.messages import NotationError
from oddly.protocol.notation import parse_turn

LINE = (
    "info turn Bc3 visits 1650 win_rate 0.5377 lead -0.40 variation Bc3 Wb3,Wc4 pass "
    "info turn Bc2 visits 307 win_rate 0.5108 variation Bc2"
)


def test_a_line_is_read_and_written():
    analysis = parse_analysis(LINE)
    best, second = analysis.turns
    assert best == analysis.best
    assert (best.visits, best.win_rate, best.lead) == (1650, 0.5377, -0.4)
    assert list(map(str, best.variation)) == ["Bc3", "Wb3,Wc4", "pass"]
    assert second.lead is None
    assert str(analysis) == LINE


def test_unknown_keys_are_passed_over():
    line = "info turn swap visits 4 win_rate 1.0 policy 0.3 kind x kind y"
    assert parse_analysis(line).turns == (
        RankedTurn(parse_turn("swap"), 4, 1.0, None, (parse_turn("swap"),)),
    )


def test_a_value_may_be_a_word_that_else_begins_an_entry_or_a_variation():
    """The bug: every `info` began an entry, and such a line was refused."""
    entry = "info turn pass visits 5 win_rate 0.5"
    odd = f"{entry} note info mood variation rules_of info"
    for line, entries in ((odd, 1), (f"{odd} variation pass {odd} {entry}", 3)):
        analysis = parse_analysis(line)
        assert [(str(each.turn), each.visits) for each in analysis.turns] == [("pass", 5)] * entries


def test_no_more_turns_are_looked_at_or_written_than_the_spec_says():
    many = Analysis(parse_analysis("info turn pass visits 1 win_rate 0").turns * 40)
    assert len(parse_analysis(" ".join(map(str, many.turns))).turns) == MAX_RANKED
    assert str(many).count("info") == MAX_RANKED


@pytest.mark.parametrize(
    "line",
    [
        "",
        "turn pass visits 1 win_rate 0",
        "info",
        "info turn pass visits 1",
        "info turn pass visits 1 win_rate",
        "info turn pass visits -1 win_rate 0.5",
        "info turn pass visits 1 win_rate 1.5",
        "info turn pass visits 1 win_rate nan",
        "info turn pass visits 1 win_rate 0.5 lead inf",
        "info turn resign visits 1 win_rate 0.5",
        "info turn pass visits 1 win_rate 0.5 variation Ba1",
        "info turn pass visits 1 win_rate 0.5 variation pass x",
        "info turn pass win_rate 0.5 visits 1",
        "info turn pass visits 1 kind x win_rate 0.5",
        "info turn pass visits 1 win_rate 0.5 rules plain lead 2",
        "info turn pass visits 1 win_rate 0.5 win_rate 0.5",
        "info turn pass visits 1 win_rate 0.5 lead 1 kind x lead 2",
        "info turn pass visits 1 win_rate 0.5 Mood 7",
        "info turn pass visits 1  win_rate 0.5",
        " info turn pass visits 1 win_rate 0.5",
        "info turn pass visits 1 win_rate 0.5 ",
        "info turn pass visits 1 win_rate 0.5 variation",
        f"info turn pass visits 1 win_rate 0.5 variation {'pass ' * 20}junk",
        "info turn pass visits 1 win_rate 0.5 rules #",
        "info turn pass visits 1 win_rate 0.5 note a#b",
        "info turn pass visits 1 win_rate 0.5 note \xe9",
        "info turn pass visits 1 win_rate 0.5 info",
    ],
)
def test_what_is_no_analysis_is_refused(line):
    with pytest.raises(NotationError):
        parse_analysis(line)


SHARES = st.integers(0, 10_000).map(lambda number: number / 10_000)
ACTIONS = st.sampled_from([END, PASS, SWAP, Drop(Colour.BLACK, "c3"), Move("a1", "b2")])
CANDIDATES = st.lists(st.builds(Candidate, ACTIONS, SHARES, SHARES), max_size=MAX_CANDIDATES)


@given(st.builds(Evaluation, SHARES, st.integers(0, 10**18 - 1), CANDIDATES.map(tuple)))
def test_what_is_written_is_read(evaluation):
    assert parse_evaluation(str(evaluation)) == evaluation


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a win rate and a number of simulations at character 1"),
        ("x 1", "a number from 0 to 1 at character 1"),
        ("nan 1", "a number from 0 to 1"),
        ("0.5 -1", "a number of simulations"),
        (f"0.5 {10**18}", "a number of simulations"),
        ("0.5 1\nBd4", "an action, its share and its win rate at character 1"),
        ("0.5 1\nBd4 0.5 2", "a number from 0 to 1 at character 9"),
        ("0.5 1\nBd4,Be4 0.5 0.5", "one drop"),
        ("0.5 1\nrubbish 0.5 0.5", "malformed"),
        ("4565e-4 1", "a number from 0 to 1"),
        (".5 1", "a number from 0 to 1"),
        ("1_0e-1 1", "a number from 0 to 1"),
        ("\u0660.\u0665 1", "a number from 0 to 1"),
        ("0.5  1", "a win rate and a number of simulations"),
        ("0.5 1\nBd4 0.5 0.5 ", "an action, its share and its win rate"),
        ("\n0.5 1", "a win rate and a number of simulations"),
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
    assert parse_turn_evaluation(" mood good depth 3 win_rate 0.5 ") == TurnEvaluation(0.5, 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.5",
        "win_rate",
        "win_rate 2",
        "win_rate nan",
        "depth 3",
        "win_rate 1 lead x",
        "win_rate 1 win_rate 1",
        "win_rate 1 mood a mood b",
        "win_rate 1 Mood a",
        "win_rate  1",
        "win_rate 1 mood a#b",
        "win_rate 1 mood \xe9",
    ],
)
def test_what_cannot_be_read_is_none(text):
    assert turn_evaluation_in(text) is None


def test_without_a_win_rate_the_refusal_points_at_the_start():
    with pytest.raises(NotationError, match=r"expected a win rate at character 1$"):
        parse_turn_evaluation("depth 3")
