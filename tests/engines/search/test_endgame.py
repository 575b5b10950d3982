"""The solver inside `rave`: it finds every win that is there, and keeps to its share of time."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.catalogue import create_engine
from oddly.engines.kernels.interface import action_count
from oddly.engines.rave_engine import SIMULATIONS_BEFORE_A_PROOF, SOLVABLE, tuned_for
from oddly.engines.search.endgame import (
    ORDER_PART,
    PROOF_SIZES,
    PROOF_SIZES_IN_ORDER,
    TIME_PART,
    Endgame,
    expected_nodes,
)
from oddly.engines.search.searcher import Searcher
from oddly.engines.solver.solution import without_databases
from oddly.games.catalogue import GAMES, create_game
from oddly.games.drop_level import DropPosition
from oddly.games.turns import Drop
from tests.engines.solver.minimax import winner, winner_by_every_path

SIZES = {"yodd": 3, "xodd": 4, "odd": 3}
PLENTY = 10**6


def near_the_end(name: str, empty: int, seed: int):
    """A position between turns, reached by random drops, with about so many empty cells."""
    draw = random.Random(seed)
    at = DropPosition(create_game(name, SIZES[name]).start())
    while at.drops or at.start.stones.count(0) > empty:
        actions = list(at.actions())
        at = at.act(draw.choice([a for a in actions if isinstance(a, Drop)] or actions))
    return at.start


def test_every_game_is_solvable_or_not():
    assert set(SOLVABLE) == set(PROOF_SIZES) == set(PROOF_SIZES_IN_ORDER) == {*GAMES.values()}


@pytest.mark.parametrize("has_clock", [False, True])
@pytest.mark.parametrize("name", SIZES)
@settings(max_examples=25)
@given(empty=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_it_finds_a_win_where_minimax_does(name, has_clock, empty, seed):
    position = near_the_end(name, empty, seed)
    if position.is_over:
        return
    draw = np.random.default_rng(seed)
    order = draw.integers(0, 1 << 40, action_count(position.game))
    seconds = 60.0 if has_clock else None
    turn = Endgame(position.game).winning_turn(
        DropPosition(position), seconds, PLENTY, promise=lambda seconds: order
    )
    assert (turn is not None) == (winner(position, {}) is position.to_move)
    if turn is not None:
        assert winner(position.play(turn), {}) is position.to_move


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_it_finds_a_win_of_ayu_where_there_is_one(seed):
    draw = random.Random(seed)
    position = create_game("ayu", 3).start()
    for _ in range(draw.randint(2, 5)):
        position = position.play(draw.choice(list(position.legal_turns())))
        if position.is_over:
            return
    turn = Endgame(position.game).winning_turn(DropPosition(position), 60.0, 0)
    assert (turn is not None) == (winner_by_every_path(position) is position.to_move)
    if turn is not None:
        assert winner_by_every_path(position.play(turn)) is position.to_move


@pytest.mark.parametrize(
    ("option", "value", "seconds"),
    [("level", "10", 1.0), ("level", "0", None), ("level", "0", 0.1)],
)
def test_in_ayu_only_a_clock_with_time_makes_it_begin(option, value, seconds):
    position = create_game("ayu", 5).start()
    engine = create_engine("rave")
    engine.set_option(option, value)
    with without_databases():
        assert engine.solve(DropPosition(position), seconds) is None
    assert engine._endgame is None


def test_in_ayu_fewer_units_are_nearer_the_end():
    game = create_game("ayu", 5)
    at = DropPosition(game.start())
    expected = [expected_nodes(at)]
    draw = random.Random(1)
    while not at.is_over:
        at = at.act(draw.choice(list(at.actions())))
        expected.append(expected_nodes(at))
    assert expected == sorted(expected, reverse=True)
    assert expected[-1] < expected[0] / 10


def test_it_does_not_begin_what_it_cannot_finish():
    endgame = Endgame(create_game("xodd", 9))
    start = DropPosition(create_game("xodd", 9).start())
    assert endgame.winning_turn(start, 1.0, 0) is None
    assert endgame.winning_turn(start, None, 10_000) is None
    assert endgame.nodes == 0


@pytest.mark.parametrize("name", SIZES)
def test_with_a_clock_a_short_search_says_which_actions_to_try_first(name):
    position = near_the_end(name, 6, 3)
    engine = create_engine("rave")
    engine.prepare(position.game)
    engine.wait_until_ready()
    asked = []

    def promise(at, seconds):
        asked.append((at.start, seconds))
        return engine._searcher.promise()

    engine._promise = promise
    for seconds in (None, 1e-9, 60.0):
        engine.solve(DropPosition(position), seconds)
    assert asked == [(position, TIME_PART * ORDER_PART * 60.0)]


def test_the_short_search_keeps_to_its_time():
    position = near_the_end("xodd", 10, 3)
    engine = create_engine("rave")
    engine.prepare(position.game)
    engine.wait_until_ready()
    brief, whole = (
        (engine._promise(DropPosition(position), seconds) // 1000).sum() for seconds in (0.0, 60.0)
    )
    assert brief == engine._searcher.simulations_at_a_time
    assert whole == brief + SIMULATIONS_BEFORE_A_PROOF


def test_a_stop_ends_the_short_search_too():
    position = near_the_end("xodd", 10, 3)
    engine = create_engine("rave")
    engine.prepare(position.game)
    engine.wait_until_ready()
    engine.is_stopped = lambda: True
    promise = engine._promise(DropPosition(position), 60.0)
    assert (promise // 1000).sum() == engine._searcher.simulations_at_a_time


def test_what_is_promising_was_visited_most_and_then_did_best_as_first():
    game = create_game("xodd", 4)
    searcher = Searcher(game, megabytes=4)
    searcher.load(DropPosition(game.start()))
    assert not searcher.promise().any()
    searcher.think(tuned_for(game), simulations=1000)
    promise, votes = searcher.promise(), searcher.votes()
    assert len(promise) == action_count(game)
    assert set(promise.nonzero()[0]) == set(votes)
    assert [number // 1000 for number in promise[list(votes)]] == [
        vote.visits for vote in votes.values()
    ]
    assert len({number % 1000 for number in promise[list(votes)]}) > 3


def test_it_can_be_switched_off():
    position = near_the_end("yodd", 3, 5)
    engine = create_engine("rave")
    assert engine.values["solver"] is True
    engine.set_option("solver", "false")
    assert engine.solve(DropPosition(position), None) is None
