"""The games action by action: single drops, `end` and `pass`, against the brute force."""

from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import SWAP, Colour, Drop, Move, Position, random_turn
from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition, listed_actions
from oddly.games.turns import PASS, Drops, Illegality, IllegalTurn
from oddly.games.yodd import YoddPosition
from tests.games import brute_force
from tests.games.brute_force_perft import act, actions
from tests.games.lockstep import Pair, turn_from_text
from tests.games.positions import NEARLY_FULL
from tests.source import ROOT

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
    position = DropPosition(NEARLY_FULL)
    assert action_from_text("Wc3") not in position.actions()
    with pytest.raises(IllegalTurn) as refusal:
        position.act(action_from_text("Wc3"))
    assert refusal.value.illegality is Illegality.PARITY


def test_two_orders_of_the_same_drops_reach_the_same_key() -> None:
    start = DropPosition(create_game("xodd", 5).start()).act(action_from_text("Bc3"))
    one, other = (
        start.act(action_from_text(first)).act(action_from_text(second))
        for first, second in (("Ba1", "We5"), ("We5", "Ba1"))
    )
    assert one.key == other.key


@dataclass(frozen=True, eq=False)
class CountingPosition(YoddPosition):
    """A position of a game of another package, whose rules count the turns."""

    drops_leave_only_stones: ClassVar[bool] = False
    made: int = 0

    @property
    def key(self) -> Hashable:
        return *super().key, self.made


def test_what_else_a_game_remembers_tells_positions_inside_a_turn_apart() -> None:
    """The bug: rave took such positions for one, and proved wins that were none."""
    after = create_game("yodd", 3).start().play("Bc3")
    assert isinstance(after, YoddPosition)
    one, other, again = (
        DropPosition(
            CountingPosition(after.game, after.groups, made=made), (Drop(Colour.BLACK, "a3"),)
        )
        for made in (2, 4, 2)
    )
    assert one != other
    assert one == again


COUNTS = {
    ("yodd", 4): 2 * 37 + 2,
    ("xodd", 5): 2 * 25 + 2,
    ("odd", 3): 2 * 19,
    ("ayu", 5): 25 * 25 + 1,
}


@pytest.mark.parametrize(("name", "size"), COUNTS)
def test_the_numbers_are_those_of_the_reference(name, size):
    game = create_game(name, size)
    vertices, cells = game.board.vertices, len(game.board)
    if name == "ayu":
        defined = [Move(one, two) for one in vertices for two in vertices] + [SWAP]
    else:
        defined = [Drop(colour, vertex) for vertex in vertices for colour in Colour]
        defined += [] if name == "odd" else [PASS, END]
    assert game.action_count == len(defined) == COUNTS[name, size]
    assert [game.action_of(number) for number in range(game.action_count)] == defined
    assert [game.action_number(action) for action in defined] == list(range(game.action_count))
    assert cells == len(vertices)


def test_the_pie_rule_changes_no_number():
    plain, with_pie = create_game("ayu", 5), create_game("ayu", 5, {"pie": True})
    assert plain.action_count == with_pie.action_count
    assert plain.action_number(SWAP) == with_pie.action_number(SWAP) == 625
    assert 625 not in plain.start().play("b1-c1").legal_actions()
    assert 625 in with_pie.start().play("b1-c1").legal_actions()


@pytest.mark.parametrize("action", [PASS, END, SWAP, Move("a1", "b1"), Drop(Colour.BLACK, "z9")])
def test_what_is_no_action_of_the_game_has_no_number(action):
    with pytest.raises(ValueError, match=r"is not an action of this game on the hexhex board"):
        create_game("odd", 2).action_number(action)


@pytest.mark.parametrize("number", [-1, 38, 10**6])
def test_a_number_without_an_action_is_refused(number):
    game = create_game("odd", 3)
    for refused in (game.action_of, game.start().play_action):
        with pytest.raises(
            IllegalTurn, match=f"no action {number}: expected a number from 0 to 37"
        ):
            refused(number)


@pytest.mark.parametrize(
    ("number", "said"),
    [(10**5000, "of more than 4300 digits"), ("x" * 10_000, r"'x{399}\.\.\."), (0.5, "0.5")],
    ids=["long", "text", "fraction"],
)
def test_a_refused_number_is_named_in_a_bounded_sentence(number, said):
    """The bug: Python's own error about the number of digits."""
    with pytest.raises(IllegalTurn, match=f"^there is no action {said}: expected a number"):
        create_game("odd", 3).start().play_action(number)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_whole_games_by_numbers_are_those_of_the_rules(name, size, options, seed):
    random = Random(seed)
    game = create_game(name, size, options)
    position, pair, drops = game.start(), Pair.at_start(name, size, options), ()
    while not position.is_over and random.random() < 0.97:
        defined = sorted(
            game.action_number(action_from_text(text)) for text in actions(pair.naive, drops)
        )
        legal = position.legal_actions()
        assert legal == defined == sorted(set(legal))
        mask = np.asarray(position.action_mask())
        assert (mask.dtype, mask.shape) == (np.int8, (game.action_count,))
        assert np.flatnonzero(mask).tolist() == legal
        number = random.choice(legal)
        action = game.action_of(number)
        at = position if isinstance(position, DropPosition) else DropPosition(position)
        after = position.play_action(number)
        assert at.act(action) == (after if isinstance(after, DropPosition) else DropPosition(after))
        if isinstance(after, DropPosition):
            drops = (*drops, str(action))
            assert after.stones != position.stones
        else:
            turn = str(at.turn_with(action))
            pair, drops = pair.play(turn), ()
            assert after == pair.position
        position = after
    if isinstance(position, Position):
        assert position.is_over == (not position.legal_actions())


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_found_by_sets_of_points_is_what_the_turns_say(name, size, options, seed):
    random = Random(seed)
    position = create_game(name, size, options).start()
    for _ in range(random.randrange(12)):
        if position.is_over:
            break
        assert position.legal_actions() == listed_actions(position, ())
        firsts = list(position.first_drops())
        for first in random.sample(firsts, min(1, len(firsts))):
            assert position.may_begin_with(first)
            if position.most_drops > 1:
                assert position.actions_after((first,)) == listed_actions(position, (first,))
        position = position.play(random_turn(position, random))


@given(seed=st.integers(0, 2**32 - 1), board=st.sampled_from(BOARDS))
def test_a_number_of_numpy_is_played_like_any_other(seed, board):
    random = Random(seed)
    position = other = create_game(*board).start()
    while not position.is_over and random.random() < 0.95:
        number = random.choice(position.legal_actions())
        kind = random.choice([np.int16, np.int32, np.int64, np.uint16])
        position, other = position.play_action(number), other.play_action(kind(number))
        assert other == position
        assert other.legal_actions() == position.legal_actions()


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("wrong", [1.0, "3", None])
def test_what_is_no_whole_number_is_no_action(board, wrong):
    position = create_game(*board).start()
    for refused in (position.play_action, position.game.action_of):
        with pytest.raises(IllegalTurn, match=f"no action {wrong!r}: expected a number from 0"):
            refused(wrong)


@given(seed=st.integers(0, 2**32 - 1), board=st.sampled_from(BOARDS))
def test_the_actions_of_a_turn_lead_where_the_turn_does(seed, board):
    random = Random(seed)
    position = create_game(*board).start()
    while not position.is_over:
        turn = random_turn(position, random)
        after = position
        for number in position.actions_of(turn):
            after = after.play_action(number)
        position = position.play(turn)
        assert after == position


def test_an_illegal_action_is_refused_by_the_rule_that_it_breaks():
    position = create_game("yodd", 3).start().play("Bc3")
    with pytest.raises(IllegalTurn, match="c3 is occupied") as caught:
        position.play_action(position.game.action_number(Drop(Colour.WHITE, "c3")))
    assert caught.value.illegality is Illegality.OCCUPIED
    with pytest.raises(IllegalTurn):
        position.play_action(position.game.action_number(END))
    with pytest.raises(IllegalTurn, match="there is no piece on c3"):
        create_game("ayu", 5).start().play("b1-c1").play_action(12 * 25 + 13)


def test_a_game_of_another_package_numbers_the_kinds_that_it_names(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "other_games" / "installed"))
    game = import_module("tictac").Tictac(3)
    assert game.action_count == 2 * 9 + 9 * 9 + 3
    assert [game.action_of(number) for number in range(99, 102)] == [PASS, END, SWAP]
    random, position = Random(1), game.start()
    while not position.is_over:
        assert all(game.action_number(game.action_of(n)) == n for n in position.legal_actions())
        position = position.play_action(random.choice(position.legal_actions()))
    assert not position.legal_actions()
