"""The solver inside `rave`: it finds every win that is there, and keeps to its share of time."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from oddly.games.ayu import Ayu
from oddly.games.catalogue import GAMES
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from oddly.games.turns import Drop
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from tests.engines.solver.minimax import winner, winner_by_every_path
from tests.engines.talking import engine_with
from tests.games.positions import walked

GAMES_WITH_DROPS = [Yodd(3), Xodd(4), Odd(3)]
each_game = pytest.mark.parametrize("game", GAMES_WITH_DROPS, ids=str)
PLENTY = 10**6


def near_the_end(game, empty: int, seed: int):
    """A position, not over, reached by random drops, with about so many empty cells."""
    draw = random.Random(seed)
    while True:
        at = DropPosition(game.start())
        while at.drops or (at.start.stones.count(0) > empty and not at.is_over):
            actions = list(at.actions())
            at = at.act(draw.choice([a for a in actions if isinstance(a, Drop)] or actions))
        if not at.is_over:
            return at.start


def test_every_game_is_solvable_or_not():
    assert set(SOLVABLE) == set(PROOF_SIZES) == set(PROOF_SIZES_IN_ORDER) == {*GAMES.values()}


@pytest.mark.parametrize("has_clock", [False, True])
@each_game
@settings(max_examples=25)
@given(empty=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_it_finds_a_win_where_minimax_does(game, has_clock, empty, seed):
    position, seconds = near_the_end(game, empty, seed), 60.0 if has_clock else None
    order = np.random.default_rng(seed).integers(0, 1 << 40, action_count(game))
    turn = Endgame(game).winning_turn(
        DropPosition(position), seconds, PLENTY, promise=lambda seconds: order
    )
    assert (turn is not None) == (winner(position, {}) is position.to_move)
    if turn is not None:
        assert winner(position.play(turn), {}) is position.to_move


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_it_finds_a_win_of_ayu_where_there_is_one(seed):
    draw = random.Random(seed)
    position = walked(Ayu(3), draw, draw.randint(2, 5))
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
    engine = engine_with("rave", **{option: value})
    with without_databases():
        assert engine.solve(DropPosition(Ayu(5).start()), seconds) is None
    assert engine._endgame is None


def test_in_ayu_fewer_units_are_nearer_the_end():
    at = DropPosition(Ayu(5).start())
    expected = [expected_nodes(at)]
    draw = random.Random(1)
    while not at.is_over:
        at = at.act(draw.choice(list(at.actions())))
        expected.append(expected_nodes(at))
    assert expected == sorted(expected, reverse=True)
    assert expected[-1] < expected[0] / 10


def test_it_does_not_begin_what_it_cannot_finish():
    endgame, start = Endgame(Xodd(9)), DropPosition(Xodd(9).start())
    assert endgame.winning_turn(start, 1.0, 0) is None
    assert endgame.winning_turn(start, None, 10_000) is None
    assert endgame.nodes == 0


@each_game
def test_with_a_clock_a_short_search_says_which_actions_to_try_first(game):
    position, engine, asked = near_the_end(game, 6, 3), engine_with("rave", game), []

    def promise(at, seconds):
        asked.append((at.start, seconds))
        return engine._searcher.promise()

    engine._promise = promise
    for seconds in (None, 1e-9, 60.0):
        engine.solve(DropPosition(position), seconds)
    assert asked == [(position, TIME_PART * ORDER_PART * 60.0)]


def test_the_short_search_keeps_to_its_time_and_ends_when_it_is_stopped():
    at, engine = DropPosition(near_the_end(Xodd(4), 10, 3)), engine_with("rave", Xodd(4))
    brief, whole = ((engine._promise(at, seconds) // 1000).sum() for seconds in (0.0, 60.0))
    assert brief == engine._searcher.simulations_at_a_time
    assert whole == brief + SIMULATIONS_BEFORE_A_PROOF
    engine = engine_with("rave", Xodd(4))
    engine.is_stopped = lambda: True
    assert (engine._promise(at, 60.0) // 1000).sum() == brief


def test_what_is_promising_was_visited_most_and_then_did_best_as_first():
    searcher = Searcher(Xodd(4), megabytes=4)
    searcher.load(DropPosition(Xodd(4).start()))
    assert not searcher.promise().any()
    searcher.think(tuned_for(Xodd(4)), simulations=1000)
    promise, votes = searcher.promise(), searcher.votes()
    assert len(promise) == action_count(Xodd(4))
    assert set(promise.nonzero()[0]) == set(votes)
    assert (promise[list(votes)] // 1000).tolist() == [vote.visits for vote in votes.values()]
    assert len(set(promise[list(votes)] % 1000)) > 3


def test_it_can_be_switched_off():
    at = DropPosition(near_the_end(Yodd(3), 3, 5))
    assert engine_with("rave").values["solver"] is True
    assert engine_with("rave", solver="false").solve(at, None) is None
