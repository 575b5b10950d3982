"""The solver inside `rave`: it finds every win that is there, and keeps to its share of time."""

import random
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels.interface import action_count
from oddly.engines.rave_engine import SIMULATIONS_BEFORE_A_PROOF, SOLVABLE, tuned_for
from oddly.engines.search.endgame import ORDER_PART, PROOF_SIZES, PROOF_SIZES_IN_ORDER, Endgame
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.thinking_time import TIME_PART
from oddly.engines.solver.solution import without_databases
from oddly.engines.solver.solve import Solver
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


@pytest.mark.parametrize(("level", "seconds"), [("9", 1.0), ("9", None), ("0", 0.1)])
def test_in_ayu_no_weaker_level_and_no_short_turn_makes_it_begin(level, seconds):
    engine = engine_with("rave", level=level)
    with without_databases():
        assert engine.solve(DropPosition(Ayu(5).start()), seconds) is None
    assert engine._endgame is None


@settings(max_examples=25)
@given(empty=st.integers(2, 4), seed=st.integers(0, 2**32), nodes=st.integers(1, 40))
@each_game
def test_what_an_unfinished_proof_does_not_leave_open_loses(game, empty, seed, nodes):
    position = near_the_end(game, empty, seed)
    at, solver = DropPosition(position), Solver(game, 1 << 10)
    solution = solver.solve(at, node_limit=nodes)
    still_open = solver.prover.open_actions(at)
    assert solver.prover.open_actions(DropPosition(position)) is None
    if solution is not None or still_open is None:
        return
    for action in set(at.actions()) - {game.action_of(number) for number in still_open}:
        after, tried = at.act(action), Solver(game)
        assert after.is_over or tried.solve(after).winner is not position.to_move


def test_a_search_leaves_alone_what_is_proven_to_lose():
    game = Odd(3)
    searcher = Searcher(game, megabytes=4)
    searcher.load(DropPosition(game.start()))
    searcher.keep_open(())
    searcher.think(tuned_for(game), simulations=200)
    first, second, *_ = sorted(searcher.votes(), key=lambda a: -searcher.votes()[a].visits)
    searcher.keep_open({second})
    assert not searcher.votes()[second].is_lost
    assert searcher.votes()[first].is_lost
    assert searcher.think(tuned_for(game), simulations=50).action != first


def test_a_new_game_knows_no_proofs_of_the_last_one():
    engine = engine_with("rave", Odd(3), simulations="100")
    at = DropPosition(near_the_end(Odd(3), 6, 3))
    needed = []
    for _ in range(3):
        engine.solve(at, None)
        needed.append(engine._endgame.nodes)
    engine.new_game()
    engine.solve(at, None)
    assert needed[0] > needed[1] == needed[2]
    assert engine._endgame.nodes == needed[0]


LOST_ONCE = "Ba3 Wd3 We1 Wc2 Wb4 Bd2 Wa4 Bc3"


def test_a_thousand_simulations_win_where_a_proof_does():
    position = Odd(3).start()
    for turn in LOST_ONCE.split():
        position = position.play(turn)
    turn = engine_with("rave", Odd(3), simulations="1000").choose(position)
    assert Solver(Odd(3)).solve(DropPosition(position.play(turn))).winner is position.to_move


def test_what_the_first_drop_leaves_is_proved_too():
    engine, asked = engine_with("rave", Yodd(3), simulations="20"), []
    engine.solve = lambda at, seconds: asked.append(at)
    for seed in range(4):
        engine.choose(near_the_end(Yodd(3), 12, seed))
    assert [len(at.drops) for at in asked].count(0) == 4
    assert any(at.drops for at in asked)


@each_game
def test_a_short_search_says_which_actions_to_try_first(game, monkeypatch):
    monkeypatch.setattr("oddly.engines.rave_engine.monotonic", lambda: 0.0)
    position, engine, asked = near_the_end(game, 6, 3), engine_with("rave", game), []

    def promise(at, seconds):
        asked.append((at.start, seconds))
        return engine._searcher.promise()

    engine._promise = promise
    for seconds in (None, 1e-9, 60.0):
        engine.solve(DropPosition(position), seconds)
    assert asked == [(position, inf), (position, TIME_PART * ORDER_PART * 60.0)]


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
