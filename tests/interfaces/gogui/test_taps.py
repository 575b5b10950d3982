"""A turn tap by tap: from any position to any legal turn, and back."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalogue import create_game
from games.errors import IllegalTurn
from games.sampling import random_turn
from games.turns import PASS, Pass
from interfaces.gogui.planning import next_tap
from interfaces.gogui.taps import Dropping, begin

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


def tapped(turning, tap):
    return turning.tap_pass() if isinstance(tap, Pass) else turning.tap(tap)


def wandered(position, random, number):
    """After so many random taps."""
    turning = begin(position)
    for _ in range(number):
        if turning.legal_taps:
            turning = tapped(turning, random.choice(turning.legal_taps))
    return turning


def is_taken(turning, tap):
    try:
        after = tapped(turning, tap)
    except IllegalTurn:
        return False
    assert after.start is turning.start or after == begin(after.start)
    return True


@given(positions())
def test_every_legal_turn_is_reached_by_taps_and_is_that_turn(drawn):
    position, random = drawn
    turn = random_turn(position, random)
    turning = begin(position)
    for _ in range(6):
        tap = next_tap(turning, turn)
        assert tap in turning.legal_taps
        turning = tapped(turning, tap)
        if turning.start is not position:
            break
    assert turning.start.key == position.play(turn).key
    assert not turning.is_begun


@settings(max_examples=50)
@given(positions())
def test_the_legal_taps_are_those_that_are_taken(drawn):
    position, random = drawn
    turning = wandered(position, random, random.randrange(4))
    legal = set(turning.legal_taps)
    assert len(legal) == len(turning.legal_taps)
    assert bool(legal) != turning.start.is_over
    everything = (*position.game.board.vertices, PASS)
    assert {tap for tap in everything if is_taken(turning, tap)} == legal


@given(positions())
def test_a_second_tap_on_a_stone_changes_its_colour_and_a_third_changes_it_back(drawn):
    position, random = drawn
    turning = begin(position)
    points = [tap for tap in turning.legal_taps if tap != PASS]
    if not points:
        return
    vertex = random.choice(points)
    once = turning.tap(vertex)
    twice = once.tap(vertex)
    if isinstance(turning, Dropping):
        index = position.game.board.index[vertex]
        assert once.stones[index] == position.to_move
        assert twice.stones[index] == position.to_move.other
        assert twice.tap(vertex) == once
    else:
        assert twice == turning


@given(positions([("yodd", 3), ("xodd", 4), ("odd", 3)]))
def test_tentative_stones_are_counted(drawn):
    position, random = drawn
    turning = wandered(position, random, 2)
    if turning.is_begun:
        counts = turning.group_counts
        assert counts == turning.start.group_counts_with(turning.drops)
        if turning.can_end:
            assert turning.tap_pass().start.group_counts == counts


def test_a_turn_without_drops_has_none_to_count():
    start = create_game("ayu", 5).start()
    assert start.group_counts_with(()) == start.group_counts
    with pytest.raises(ValueError, match="ayu has no drops"):
        start.group_counts_with([None])
