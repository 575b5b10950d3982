"""Turns by the counts they leave: as many as are counted, and the same as all that are listed."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.game import Position
from oddly.games.groups import TurnBatch, TurnsByCounts
from oddly.games.result import GroupCounts
from tests.games.positions import walked

BOARDS = [
    ("yodd", 3, {}),
    ("xodd", 4, {}),
    ("odd", 3, {"min_group": 2}),
    ("odd", 3, {"board": "square", "min_group": 1}),
    ("ayu", 5, {"pie": True}),
]


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(turns=st.integers(0, 30), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_they_are_all_turns_with_the_counts_that_playing_them_leaves(
    name, size, options, turns, seed
):
    position = walked(create_game(name, size, options), Random(seed), turns)
    played = list(Position.outcomes(position))
    found = position.turns_by_counts()
    assert list(found) == list(position.outcomes()) == played
    assert found.counts == {counts for _, counts in played}
    numbers = Counter(counts for _, counts in played)
    for counts, number in numbers.items():
        assert len(found.leaving([counts])) == number
    some = list(numbers)[::2]
    assert list(found.leaving(some)) == [turn for turn, counts in played if counts in some]


def test_a_turn_is_found_by_its_number_and_beyond_the_last_there_is_none():
    even, odd = GroupCounts(1, 1), GroupCounts(1, 2)
    batches = [[("a", odd), ("b", even)], [], [("c", even), ("d", odd), ("e", even)]]
    turns = TurnsByCounts([TurnBatch.listed(batch) for batch in batches])
    assert turns.counts == {even, odd}
    leaving = turns.leaving([even])
    assert [leaving[index] for index in range(len(leaving))] == ["b", "c", "e"]
    for index in (3, -1):
        with pytest.raises(IndexError, match="of 3"):
            leaving[index]
    assert len(turns.leaving([GroupCounts(7, 7)])) == 0
