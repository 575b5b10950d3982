"""Every way in which a turn may be illegal, and the words in which it is refused."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.turns import Illegality, IllegalTurn
from tests.games.lockstep import Pair, any_turn, turn_from_text
from tests.games.positions import place, played

YODD = played("yodd", 3, "Bc3")
XODD = played("xodd", 4, "Wb2", "pass")
ODD = played("odd", 2, "Bb2")
FULL_ODD = played("odd", 2, "Ba1", "Wb1", "Ba2", "Bb2", board="square")
AYU = played("ayu", 5)
ROW = place("ayu", 7, black="c4 d4 e4 d7", white="g7 g5")

EXAMPLES = [
    (played("yodd", 3, "Bc3", "pass", "pass"), "Bc4", "GAME_OVER", ["over", "passed"]),
    (FULL_ODD, "Ba1", "GAME_OVER", ["over", "full"]),
    (YODD, "a3-b3", "WRONG_KIND", ["a3-b3", "Yodd"]),
    (YODD, "swap", "WRONG_KIND", ["swap", "Yodd"]),
    (ODD, "pass", "WRONG_KIND", ["pass", "Odd"]),
    (AYU, "pass", "WRONG_KIND", ["pass", "Ayu"]),
    (AYU, "Ba1", "WRONG_KIND", ["Ba1", "Ayu"]),
    (YODD, "Ba1", "OFF_BOARD", ["a1", "off", "hexhex"]),
    (YODD, "Bc4,Wz9", "OFF_BOARD", ["z9", "off"]),
    (XODD, "Be1", "OFF_BOARD", ["e1", "off", "4x4"]),
    (ODD, "Ba0", "OFF_BOARD", ["a0", "off"]),
    (AYU, "b1-f1", "OFF_BOARD", ["f1", "off", "5x5"]),
    (YODD, "Wc3", "OCCUPIED", ["c3", "occupied"]),
    (YODD, "Ba3,Wc3", "OCCUPIED", ["c3", "occupied"]),
    (ODD, "Bb2", "OCCUPIED", ["b2", "occupied"]),
    (AYU, "b1-b1", "OCCUPIED", ["b1", "occupied"]),
    (XODD, "Wa1,Ba1", "SAME_VERTEX", ["a1"]),
    (YODD, "Bc4,Bc5,Bd3", "DROP_COUNT", ["one", "two", "3"]),
    (YODD, "", "DROP_COUNT", ["one", "two", "0"]),
    (ODD, "Ba2,Bb1", "DROP_COUNT", ["one", "2"]),
    (played("yodd", 3), "Bc3,Bc4", "FIRST_TURN", ["first turn", "one drop"]),
    (played("xodd", 3), "Wb2,Bc3", "FIRST_TURN", ["first turn", "one drop"]),
    (YODD, "Wa3", "PARITY", ["2 groups", "1 black", "1 white", "must be odd"]),
    (played("xodd", 3), "pass", "PARITY", ["0 groups", "must be odd"]),
    (AYU, "a1-c3", "NO_PIECE", ["no piece", "a1"]),
    (AYU, "a2-a3", "WRONG_PIECE", ["a2", "white", "Black"]),
    (AYU, "b1-c2", "OCCUPIED", ["c2"]),
    (AYU, "b1-c3", "NOT_ADJACENT", ["b1-c3", "adjacent"]),
    (ROW, "d4-d5", "SPLITS_GROUP", ["d4-d5", "splits", "group"]),
    (ROW, "c4-c5", "SPLITS_GROUP", ["c4-c5", "group"]),
    (AYU, "b1-a1", "NOT_CLOSER", ["closer"]),
    (ROW, "d7-c7", "NOT_CLOSER", ["closer", "2 away", "and would be 2 away"]),
    (AYU, "swap", "NO_SWAP", ["swap", "pie"]),
    (played("ayu", 5, pie=True), "swap", "NO_SWAP", ["swap", "first turn"]),
]


@pytest.mark.parametrize(
    ("position", "turn", "rule", "words"),
    EXAMPLES,
    ids=[f"{position.game.name} {turn!r} {rule}" for position, turn, rule, _ in EXAMPLES],
)
def test_an_illegal_turn_is_refused_with_its_rule_in_words_a_player_understands(
    position, turn, rule, words
):
    with pytest.raises(IllegalTurn) as refusal:
        position.play(turn_from_text(turn))
    assert refusal.value.illegality is Illegality[rule]
    for word in words:
        assert word in refusal.value.reason
    assert str(refusal.value) == refusal.value.reason
    assert not position.is_legal(turn_from_text(turn))


def test_the_examples_cover_every_rule_there_is_to_break():
    # FORBIDDEN is for the games of other packages.
    assert {rule for _, _, rule, _ in EXAMPLES} == {*Illegality.__members__} - {"FORBIDDEN"}


@pytest.mark.parametrize(("name", "size"), [("yodd", 3), ("xodd", 4)])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_arithmetic_of_a_refusal_is_that_of_the_brute_force(name, size, seed):
    random = Random(seed)
    pair = Pair.at_start(name, size, {})
    for _ in range(60):
        turn = any_turn(pair.naive, random)
        broken = pair.naive.broken_rules(turn)
        if not broken:
            pair = pair.play(turn)
        elif broken == {"PARITY"}:
            black, white = pair.naive.after(turn).counts
            with pytest.raises(IllegalTurn) as refusal:
                pair.position.play(turn_from_text(turn))
            assert refusal.value.reason == (
                f"that would leave {black + white} groups: {black} black, {white} white; "
                "the total must be odd"
            )
