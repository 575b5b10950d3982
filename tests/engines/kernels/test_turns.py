"""Whole turns from the kernels are those of games/."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.interface import NO_SECOND, legal_turns
from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition, End
from oddly.games.turns import Drop, Drops

GAMES = [
    create_game("yodd", 3),
    create_game("xodd", 3),
    create_game("odd", 3),
    create_game("ayu", 5),
    create_game("ayu", 5, {"pie": True}),
]
MAX_TURNS = 1000


def turns_of(game, state) -> list[str]:
    """The kernel's turns in the notation of the protocol, the drops of each sorted."""
    scratch = kernel.new_state(game)
    firsts, seconds = (np.zeros(kernel.action_count(game), np.int32) for _ in range(2))
    turns = np.zeros((MAX_TURNS, 2), np.int32)
    count = legal_turns(state, scratch, firsts, seconds, turns)
    few = np.zeros((3, 2), np.int32)
    assert legal_turns(state, scratch, firsts, seconds, few) == count
    assert (few[:count] == turns[: min(count, 3)]).all()
    return sorted(spelled(game, *map(int, turn)) for turn in turns[:count])


def spelled(game, first: int, second: int) -> str:
    one = kernel.action_of(game, first)
    if not isinstance(one, Drop):
        assert second == NO_SECOND
        return str(one)
    two = END if second == NO_SECOND else kernel.action_of(game, second)
    return drops(one) if isinstance(two, End) else drops(one, two)


def drops(*stones: Drop) -> str:
    return str(Drops(tuple(sorted(stones, key=str))))


@pytest.mark.parametrize("game", GAMES, ids=str)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_every_turn_is_listed_once(game, seed):
    draw = random.Random(seed)
    position, state = game.start(), kernel.new_state(game)
    for _ in range(draw.randrange(12)):
        after = position.play(draw.choice(list(position.legal_turns())))
        if after.is_over:
            break
        position = after
    kernel.load(state, DropPosition(position))
    expected = [
        drops(*turn.drops) if isinstance(turn, Drops) else str(turn)
        for turn in position.legal_turns()
    ]
    assert turns_of(game, state) == sorted(expected)


def test_inside_a_turn_its_ways_to_end_are_listed():
    game = create_game("yodd", 3)
    at = DropPosition(game.start())
    for _ in range(2):
        at = at.act(next(a for a in at.actions() if isinstance(a, Drop)))
    assert len(at.drops) == 1
    state = kernel.new_state(game)
    kernel.load(state, at)
    expected = ["end" if isinstance(a, End) else drops(a) for a in at.actions()]
    assert turns_of(game, state) == sorted(expected)


def test_none_is_left_when_the_game_is_over():
    game = create_game("xodd", 2)
    position = game.start()
    while not position.is_over:
        position = position.play(next(iter(position.legal_turns())))
    state = kernel.new_state(game)
    kernel.load(state, DropPosition(position))
    assert turns_of(game, state) == []
