"""A turn tap by tap: from any position to any legal turn, and back."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.games.partial_turn import PartialTurn, legal_taps, next_tap, tapped
from oddly.games.turns import PASS, Colour, Drop, IllegalTurn

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
