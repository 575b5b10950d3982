"""A turn that is not made yet: stones put down, turned over and taken back, whatever is legal.

Tap by tap, it leads from any position to any legal turn, and back.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition, actions_of
from oddly.games.legal_turns import random_turn
from oddly.games.partial_turn import PartialTurn, legal_taps, next_tap, tapped
from oddly.games.turns import PASS, Colour, Drop, Drops, Illegality, IllegalTurn, Move
from tests.games.positions import played

BLACK_A3, WHITE_A3 = Drop(Colour.BLACK, "a3"), Drop(Colour.WHITE, "a3")
WHITE_E3 = Drop(Colour.WHITE, "e3")


@pytest.fixture
def begun():
    """White's turn after Bc3, with a stone in each of two corners."""
    return PartialTurn(played("yodd", 3, "Bc3"), (BLACK_A3, WHITE_E3))


def test_a_turn_that_is_begun_is_another_value_and_the_first_stays_as_it_is(begun):
    fresh = PartialTurn(begun.start)
    assert fresh.drop(BLACK_A3).drop(WHITE_E3) == begun
    assert fresh.drops == ()


def test_a_flip_changes_one_stone_in_its_place(begun):
    assert begun.flip("a3").drops == (WHITE_A3, WHITE_E3)


def test_a_stone_that_is_removed_leaves_the_others(begun):
    assert begun.remove("a3").drops == (WHITE_E3,)


@pytest.mark.parametrize("step", [PartialTurn.flip, PartialTurn.remove])
def test_only_tentative_stones_are_turned_over_or_removed(begun, step):
    with pytest.raises(IllegalTurn, match="no stone of this turn lies on c3") as refused:
        step(begun, "c3")
    assert refused.value.illegality is Illegality.NO_PIECE


def test_the_end_of_a_turn_is_the_position_after_it(begun):
    assert begun.can_end
    assert begun.end() == played("yodd", 3, "Bc3", "Ba3,We3")


def test_a_turn_that_leaves_an_even_number_may_not_end():
    even = PartialTurn(played("yodd", 3, "Bc3"), (WHITE_E3,))
    assert not even.can_end
    assert even.can_be_mended
    with pytest.raises(IllegalTurn, match="the total must be odd"):
        even.end()


def test_stones_are_recoloured_in_every_way_but_stay_where_they_are(begun):
    turns = list(begun.recoloured())
    assert len(turns) == len(set(turns)) == 4
    assert {turn.tentative for turn in turns} == {("a3", "e3")}


def test_the_completions_of_a_full_turn_are_that_turn_alone(begun):
    assert list(begun.completions()) == [Drops(begun.drops)]


def test_a_full_turn_has_no_continuation(begun):
    assert begun.is_full
    assert begun.continuations == {}


@pytest.mark.parametrize(
    "drops",
    [
        (Drop(Colour.BLACK, "c3"),),
        (BLACK_A3, WHITE_A3),
        (Drop(Colour.BLACK, "z9"),),
        (BLACK_A3, WHITE_E3, Drop(Colour.BLACK, "c5")),
    ],
    ids=["occupied", "one vertex twice", "off the board", "too many"],
)
def test_stones_that_cannot_lie_there_do_not_fit(begun, drops):
    assert not PartialTurn(begun.start, drops).fits


def test_stones_fit_whether_a_legal_turn_has_them_or_not(begun):
    assert begun.fits
    assert PartialTurn(begun.start, (WHITE_E3,)).fits


@pytest.mark.parametrize(("origin", "fits"), [(None, True), ("b1", True), ("a2", False)])
def test_a_piece_fits_that_may_move(origin, fits):
    assert PartialTurn(create_game("ayu", 5).start(), origin=origin).fits is fits


def test_a_piece_that_is_taken_up_lies_where_it_was():
    start = create_game("ayu", 5).start()
    taken = PartialTurn(start, origin="b1")
    assert taken.destinations == ("c1", "b2")
    assert list(taken.stones) == list(start.stones)
    assert not taken.takes_drops


@pytest.mark.parametrize(
    ("before", "action", "turn"),
    [
        ((), PASS, PASS),
        ((), Move("b1", "c1"), Move("b1", "c1")),
        ((BLACK_A3,), END, Drops((BLACK_A3,))),
        ((BLACK_A3,), WHITE_E3, Drops((BLACK_A3, WHITE_E3))),
    ],
)
def test_an_action_ends_the_turn_of_the_drops_before_it(begun, before, action, turn):
    assert DropPosition(begun.start, before).turn_with(action) == turn


@pytest.mark.parametrize(
    ("turn", "actions"),
    [
        (Drops((BLACK_A3,)), [BLACK_A3, END]),
        (Drops((BLACK_A3, WHITE_E3)), [BLACK_A3, WHITE_E3]),
        (PASS, [PASS]),
    ],
)
def test_a_turn_is_its_drops_and_its_end_if_it_could_go_on(begun, turn, actions):
    assert actions_of(begun.start, turn) == actions


def test_a_turn_of_one_drop_at_most_ends_by_itself():
    start = create_game("odd", 3).start()
    assert actions_of(start, Drops((BLACK_A3,))) == [BLACK_A3]


BOARDS = [("yodd", 3), ("yodd", 4), ("xodd", 4), ("odd", 3), ("ayu", 5), ("ayu", 7)]


@st.composite
def positions(draw, boards=BOARDS):
    """A position somewhere in a random game, which goes on, and more luck."""
    name, size = draw(st.sampled_from(boards))
    random = Random(draw(st.integers(0, 2**32)))
    position = create_game(name, size).start()
    for _ in range(draw(st.integers(0, 12))):
        after = position.play(random_turn(position, random))
        if after.is_over:
            break
        position = after
    return position, random


def wandered(position, random, number):
    """A turn after this number of random taps."""
    partial = PartialTurn(position)
    for _ in range(number):
        if legal_taps(partial):
            partial = tapped(partial, random.choice(legal_taps(partial)))
    return partial


def is_taken(partial, tap):
    try:
        after = tapped(partial, tap)
    except IllegalTurn:
        return False
    assert after.start is partial.start or after == PartialTurn(after.start)
    return True


@given(positions())
def test_every_legal_turn_is_reached_by_taps_and_is_that_turn(drawn):
    position, random = drawn
    turn = random_turn(position, random)
    partial = PartialTurn(position)
    for _ in range(6):
        tap = next_tap(partial, turn)
        assert tap in legal_taps(partial)
        partial = tapped(partial, tap)
        if partial.start is not position:
            break
    assert partial.start.key == position.play(turn).key
    assert not partial.is_begun


@settings(max_examples=50)
@given(positions())
def test_the_legal_taps_are_those_that_are_taken(drawn):
    position, random = drawn
    partial = wandered(position, random, random.randrange(4))
    legal = set(legal_taps(partial))
    assert len(legal) == len(legal_taps(partial))
    assert bool(legal) != partial.start.is_over
    everything = (*position.game.board.vertices, PASS)
    assert {tap for tap in everything if is_taken(partial, tap)} == legal


@given(positions())
def test_a_second_tap_on_a_stone_changes_its_colour_and_a_third_changes_it_back(drawn):
    position, random = drawn
    partial = PartialTurn(position)
    points = [tap for tap in legal_taps(partial) if tap != PASS]
    if not points:
        return
    vertex = random.choice(points)
    once = tapped(partial, vertex)
    twice = tapped(once, vertex)
    if partial.takes_drops:
        index = position.game.board.index[vertex]
        assert once.stones[index] == position.to_move
        assert twice.stones[index] == position.to_move.other
        assert tapped(twice, vertex) == once
    else:
        assert twice == partial


@given(positions([("yodd", 3), ("xodd", 4), ("odd", 3)]))
def test_tentative_stones_are_counted(drawn):
    position, random = drawn
    partial = wandered(position, random, 2)
    if partial.is_begun:
        counts = partial.group_counts
        assert counts == partial.start.group_counts_with(partial.drops)
        if partial.can_end:
            assert tapped(partial, PASS).start.group_counts == counts


def test_a_turn_without_drops_has_none_to_count():
    start = create_game("ayu", 5).start()
    assert start.group_counts_with(()) == start.group_counts
    with pytest.raises(ValueError, match="ayu has no drops"):
        start.group_counts_with((Drop(Colour.BLACK, "c3"),))
