"""Odd with few empty cells, by all their fillings: against the search, and in use."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.solver import odd_endings
from oddly.engines.solver.odd_endings import winning_drop
from oddly.engines.solver.solution import KnownSolver, ending_solution
from oddly.engines.solver.solve import Solver, solver_of
from oddly.engines.solver.tables import Lanes
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from tests.games.positions import strewn

compiled_only = pytest.mark.skipif(not HAS_NUMBA, reason="by plain rules it takes minutes")
FIVE = Odd(5, "square")
BOARDS = [Odd(3, "square"), Odd(4, "square"), FIVE, Odd(2), Odd(3), Odd(5), Odd(9, "square")]


def searched(position):
    """What the search finds."""
    entries = 1 << (22 if position.stones.count(0) > 15 else 14)
    return Solver(position.game, entries, Lanes.NONE).solve(DropPosition(position))


@given(
    st.sampled_from(BOARDS), st.integers(1, 9), st.integers(1, 12),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_winner_is_that_of_the_search_and_the_turn_keeps_the_win(game, empty, least, draw):
    game = replace(game, min_group=least)
    position = strewn(game, draw, min(empty, len(game.board)))
    turn = winning_drop(position)
    assert (turn is not None) == (searched(position).winner is position.to_move)
    if turn is not None:
        after = position.play(turn)
        winner = after.result.winner if after.is_over else searched(after).winner
        assert winner is position.to_move


@compiled_only
def test_an_ending_that_is_judged_in_many_parts_ends_the_same(monkeypatch):
    games = [replace(FIVE, min_group=least) for least in range(4, 7)]
    positions = [strewn(each, random.Random(9), 6 + each.min_group % 2) for each in games]
    turns = [winning_drop(position) for position in positions]
    monkeypatch.setattr(odd_endings, "STEPS_AT_ONCE", 5)
    judge = odd_endings._judge_full_boards.py_func
    monkeypatch.setattr(odd_endings, "_judge_full_boards", judge)
    seen = []
    assert [winning_drop(position, seen.append) for position in positions] == turns
    assert turns.count(None) == 1
    assert seen.count(0) > len(positions)


@compiled_only
def test_the_solver_goes_through_all_fillings_of_the_last_cells():
    solver = solver_of(FIVE, 64)
    assert isinstance(solver, KnownSolver)
    position = strewn(FIVE, random.Random(4), 12)
    found = solver.solve(DropPosition(position))
    assert found.nodes == solver.nodes == 3**12
    assert found.winner is searched(position).winner
    # A limit of positions is one for the search.
    assert solver.solve(DropPosition(position), node_limit=5) is None
    assert solver.nodes == 5


@compiled_only
def test_a_limit_of_time_ends_an_ending():
    position = strewn(FIVE, random.Random(4), 14)
    assert ending_solution(position, seconds=0) is None
    seen = []
    assert ending_solution(position, progress=seen.append) is not None
    assert seen[0] == 0, "it may also end before the first pass"
    assert seen[-1] == 3**14
