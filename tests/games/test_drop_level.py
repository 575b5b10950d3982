"""The games action by action: single drops, `end` and `pass`, against the brute force."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition
from oddly.games.turns import PASS, Drops, Illegality, IllegalTurn
from tests.games import brute_force
from tests.games.brute_force_perft import act, actions
from tests.games.lockstep import turn_from_text
from tests.games.positions import diagram, played

BOARDS = [
    ("yodd", 2, {}),
    ("yodd", 3, {}),
    ("xodd", 3, {}),
    ("xodd", 4, {}),
    ("odd", 2, {}),
    ("odd", 3, {"board": "square", "min_group": 2}),
    ("ayu", 5, {"pie": True}),
]


def action_from_text(text: str) -> Any:
    if text == "end":
        return END
    turn = turn_from_text(text)
    return turn.drops[0] if isinstance(turn, Drops) else turn


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_random_games_by_action_offer_the_same_actions_and_refuse_the_others(
    name: str, size: int, options: dict[str, Any], seed: int
) -> None:
    random = Random(seed)
    position = DropPosition(create_game(name, size, options).start())
    naive, drops = brute_force.start(name, size, **options), ()
    keys: dict[object, object] = {}
    while True:
        legal = actions(naive, drops)
        assert sorted(map(str, position.actions())) == sorted(legal)
        assert position.is_over == (naive.result is not None)
        every_drop = [f"{colour}{vertex}" for vertex in naive.neighbours for colour in "BW"]
        for text in [*random.sample(every_drop, 8), "end", "pass", "swap"]:
            if text not in legal:
                with pytest.raises(IllegalTurn):
                    position.act(action_from_text(text))
        if not legal:
            break
        choice = random.choice(legal)
        position = position.act(action_from_text(choice))
        naive, drops = act(naive, drops, choice)
        identity = naive.identity, frozenset(drops)
        assert keys.setdefault(position.key, identity) == identity


def test_a_first_drop_that_no_second_one_can_mend_is_illegal() -> None:
    """White at c3 would join two groups, and no other cell then changes parity once more."""
    start = diagram(
        "yodd",
        3,
        """
            . . O  5
           O X X O  4
          X X . O .  3
         a O O X X  2
          b O . X  1
           c d e
        White (O) to move
        """,
    )
    position = DropPosition(start)
    assert action_from_text("Wc3") not in position.actions()
    with pytest.raises(IllegalTurn) as refusal:
        position.act(action_from_text("Wc3"))
    assert refusal.value.illegality is Illegality.PARITY


def test_a_first_drop_that_leaves_an_even_number_is_legal_if_a_second_one_mends_it() -> None:
    position = DropPosition(played("yodd", 3, "Bc3")).act(action_from_text("We3"))
    assert position.drops
    assert action_from_text("Wa3") in position.actions()
    assert action_from_text("We2") not in position.actions()


def test_blacks_first_turn_ends_by_itself_after_one_drop_and_later_ones_after_two() -> None:
    position = DropPosition(create_game("yodd", 3).start()).act(action_from_text("Bc3"))
    assert position.drops == ()
    position = position.act(action_from_text("Bc4"))
    assert [str(drop) for drop in position.drops] == ["Bc4"]
    position = position.act(action_from_text("Bc5"))
    assert position.drops == ()
    assert str(position.start.to_move) == "black"


def test_end_closes_a_turn_of_one_drop_only_if_the_number_of_groups_is_odd() -> None:
    start = DropPosition(create_game("yodd", 3).start()).act(action_from_text("Bc3"))
    assert END in start.act(action_from_text("Bc4")).actions()
    even = start.act(action_from_text("Wc4"))
    assert END not in even.actions()
    with pytest.raises(IllegalTurn):
        even.act(END)


def test_a_pass_is_an_action_between_turns_and_not_within_one() -> None:
    start = DropPosition(create_game("yodd", 3).start()).act(action_from_text("Bc3"))
    assert PASS in start.actions()
    within = start.act(action_from_text("Bc4"))
    assert PASS not in within.actions()
    with pytest.raises(IllegalTurn):
        within.act(PASS)


def test_two_orders_of_the_same_drops_reach_the_same_key() -> None:
    start = DropPosition(create_game("xodd", 5).start()).act(action_from_text("Bc3"))
    one, other = (
        start.act(action_from_text(first)).act(action_from_text(second))
        for first, second in (("Ba1", "We5"), ("We5", "Ba1"))
    )
    assert one.key == other.key


def test_a_position_within_a_turn_differs_from_the_same_stones_between_turns() -> None:
    start = DropPosition(create_game("xodd", 5).start()).act(action_from_text("Bc3"))
    within = start.act(action_from_text("Bc4"))
    assert within.key != within.act(END).key
