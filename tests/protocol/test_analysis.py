"""A line of the reply to `analyze`: written, read, and refused."""

import pytest

from oddly.protocol.evaluation import MAX_RANKED, Analysis, RankedTurn, parse_analysis
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


def test_unknown_keys_are_passed_over_in_any_order():
    line = "info policy 0.3 visits 4 win_rate 1.0 turn swap kind x"
    assert parse_analysis(line).turns == (
        RankedTurn(parse_turn("swap"), 4, 1.0, None, (parse_turn("swap"),)),
    )


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
    ],
)
def test_what_is_no_analysis_is_refused(line):
    with pytest.raises(NotationError):
        parse_analysis(line)
