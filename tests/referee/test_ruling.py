"""The ruling on an answer to genmove."""

import pytest

from oddly.games.catalogue import create_game
from oddly.protocol.messages import RESIGN
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.outcome import EngineFault, Termination
from oddly.referee.justice.ruling import rule_on

START = create_game("yodd", 3).start()


def test_a_legal_turn_leads_to_the_next_position():
    turn, after = rule_on(START, "bC3")
    assert turn == parse_turn("Bc3")
    assert after.key == START.play(turn).key


def test_a_resignation_leaves_the_position():
    assert rule_on(START, "resign") == (RESIGN, START)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "an empty answer is not legal"),
        ("Bz9", "Bz9 is not legal: z9 is off the hexhex board of base 3"),
        ("\x1b[31mred", r"\\x1b\[31mred is not legal"),
        ("Bc3,Bd3", "first turn must be exactly one drop"),
    ],
)
def test_any_other_answer_is_a_fault(answer, reason):
    with pytest.raises(EngineFault, match=reason) as caught:
        rule_on(START, answer)
    assert caught.value.termination is Termination.ILLEGAL_TURN
