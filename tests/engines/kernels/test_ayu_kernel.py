"""The kernel of Ayu against games/: the same moves, results and chances."""

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.games.catalogue import create_game
from oddly.games.colour import EMPTY, Colour
from oddly.games.drop_level import DropPosition
from oddly.games.game import Game, Status
from oddly.games.settings import LARGEST_SQUARE

SMALL = (3, 5, 7)
LARGE = tuple(range(9, LARGEST_SQUARE + 1, 2))


def ayu(size: int, *, pie: bool = False) -> Game:
    return create_game("ayu", size, {"pie": pie})


def legal_set(state, game: Game) -> set[str]:
    actions = np.zeros(kernel.action_count(game), np.int32)
    numbers = actions[: kernel.legal_actions(state, actions)].tolist()
    assert len(set(numbers)) == len(numbers)
    return {str(kernel.action_of(game, number)) for number in numbers}


def assert_equal(state, position: DropPosition) -> None:
    assert legal_set(state, position.start.game) == {str(a) for a in position.actions()}
    assert bool(kernel.is_over(state)) == position.is_over


def expected_reward(position: DropPosition) -> float:
    assert position.start.result is not None
    winner = position.start.result.winner
    return 0.5 if winner is None else float(winner is Colour.BLACK)


def random_game(game: Game, seed: int, most: int) -> None:
    draw = random.Random(seed)
    position = DropPosition(game.start())
    state, loaded = kernel.new_state(game), kernel.new_state(game)
    for _ in range(most):
        kernel.load(loaded, position)
        assert_equal(state, position)
        assert_equal(loaded, position)
        if position.is_over:
            assert kernel.reward(loaded) == expected_reward(position)
            return
        action = draw.choice(list(position.actions()))
        position = position.act(action)
        kernel.play_action(state, kernel.action_number(game, action))


@pytest.mark.parametrize("pie", [False, True])
@pytest.mark.parametrize("size", SMALL)
def test_plays_whole_games_like_the_rules(size, pie):
    for seed in range(12 if size < 7 else 4):
        random_game(ayu(size, pie=pie), seed, most=200)


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="large boards take long without machine code")
@pytest.mark.parametrize("size", LARGE)
def test_plays_like_the_rules_on_every_board(size):
    random_game(ayu(size), size, most=5)


@pytest.mark.skipif(not HAS_NUMBA, reason="large boards take long without machine code")
def test_plays_a_whole_game_on_the_usual_board():
    random_game(ayu(11, pie=True), 3, most=400)


def test_a_copy_may_go_where_another_position_was():
    game, draw = ayu(7), random.Random(5)
    position = DropPosition(game.start())
    state, used, start, end = (kernel.new_state(game) for _ in range(4))
    kernel.playout(end, generator(1), np.zeros(kernel.action_count(game), np.int32), 1)
    for before in [start, end] * 10:
        kernel.copy_state(used, before)
        kernel.copy_state(used, state)
        assert_equal(used, position)
        action = draw.choice(list(position.actions()))
        position = position.act(action)
        for played in (used, state):
            kernel.play_action(played, kernel.action_number(game, action))
        assert_equal(used, position)


@pytest.mark.parametrize("pie", [False, True])
def test_positions_played_through_need_no_survey(pie):
    game = ayu(7, pie=pie)
    for seed in range(4):
        draw, position, state = (
            random.Random(seed),
            DropPosition(game.start()),
            kernel.new_state(game),
        )
        while not position.is_over:
            for _ in range(draw.randint(1, 5)):
                action = draw.choice(list(position.actions()))
                position = position.act(action)
                kernel.play_through(state, kernel.action_number(game, action))
                is_draw = position.is_over and expected_reward(position) == 0.5
                assert bool(kernel.is_over(state)) == is_draw
                if position.is_over:
                    break
            kernel.survey(state)
            assert_equal(state, position)


@pytest.mark.parametrize("size", [3, 11, LARGEST_SQUARE])
def test_no_two_arrays_of_a_state_overlap(size):
    arrays = [array for array in kernel.new_state(ayu(size)) if isinstance(array, np.ndarray)]
    overlapping = [pair for pair in combinations(arrays, 2) if np.shares_memory(*pair)]
    assert overlapping == []


CYCLE = ("d4-b3", "a1-b4", "b3-d4", "b4-a1")


def cycle_start():
    game = ayu(5)
    black, white = ["b2", "b5", "c2", "d2", "d3", "d4"], ["a1", "a2", "a3", "a4", "e2", "e3"]
    stones = [EMPTY] * len(game.board)
    for names, colour in ((black, Colour.BLACK), (white, Colour.WHITE)):
        for name in names:
            stones[game.board.index[name]] = colour
    return game, game.set_up(stones, Colour.BLACK, Status())


def test_a_position_that_comes_again_is_a_draw():
    game, start = cycle_start()
    position, state, loaded = DropPosition(start), kernel.new_state(game), kernel.new_state(game)
    kernel.load(state, position)
    for turn in CYCLE:
        assert not kernel.is_over(state)
        action = next(a for a in position.actions() if str(a) == turn)
        position = position.act(action)
        kernel.play_action(state, kernel.action_number(game, action))
    kernel.load(loaded, position)
    for at in (state, loaded):
        assert kernel.is_over(at)
        assert kernel.reward(at) == 0.5


@pytest.mark.skipif(not HAS_NUMBA, reason="thousands of games")
def test_a_playout_draws_every_move_alike():
    game = ayu(5)
    position = DropPosition(game.start())
    for _ in range(6):
        position = position.act(random.Random(7).choice(list(position.actions())))
    root, state, numbers = kernel.new_state(game), kernel.new_state(game), generator(1)
    kernel.load(root, position)
    marks = np.zeros(kernel.action_count(game), np.int32)
    seen: Counter[int] = Counter()
    games = 30_000
    for number in range(games):
        kernel.copy_state(state, root)
        kernel.rollout(state, numbers, marks, number + 1, 1, 0.25)
        (made,) = np.nonzero(marks == number + 1)[0].tolist()
        seen[made] += 1
    moves = [kernel.action_number(game, action) for action in position.actions()]
    assert set(seen) == set(moves)
    mean = games / len(moves)
    chi_square = sum((seen[move] - mean) ** 2 / mean for move in moves)
    freedom = len(moves) - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5


def test_equal_seeds_make_equal_games():
    game = ayu(5)
    results = []
    for seed in (1, 1, 2):
        state, marks = kernel.new_state(game), np.zeros(kernel.action_count(game), np.int32)
        kernel.playout(state, generator(seed), marks, 1)
        results.append(marks.tolist())
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("plies", [0, 1, 4, 1000])
def test_a_rollout_is_judged_between_loss_and_win(plies):
    game = ayu(5)
    state, marks = kernel.new_state(game), np.zeros(kernel.action_count(game), np.int32)
    value = kernel.rollout(state, generator(3), marks, 1, plies, 0.25)
    assert 0 <= value <= 1
    if plies == 1000:
        assert value in (0, 0.5, 1)


@pytest.mark.skipif(not HAS_NUMBA, reason="already plain Python")
def test_the_same_without_machine_code():
    chosen = f"{__file__}::test_plays_whole_games_like_the_rules"
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            "-k",
            "3-False",
            chosen,
        ],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout
