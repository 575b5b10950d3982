"""The kernel of Yodd and Xodd against games/: the same actions, results and chances."""

import math
import os
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.group_rules import BLACK, WHITE
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.drop_level import DropPosition
from oddly.games.game import Game
from oddly.games.settings import LARGEST_BASE, LARGEST_SQUARE
from oddly.games.turns import Drop

SMALLEST, LARGEST = {"yodd": 2, "xodd": 2}, {"yodd": LARGEST_BASE, "xodd": LARGEST_SQUARE}
SIZES = {name: range(SMALLEST[name], LARGEST[name] + 1) for name in SMALLEST}
NEARLY_FULL = 8
"""Empty cells from which on large boards are compared action by action."""


def legal_set(state: GroupState, game: Game, listing=kernel.legal_actions) -> set[str]:
    actions = np.zeros(kernel.action_count(game), np.int32)
    count = listing(state, actions)
    numbers = actions[:count].tolist()
    assert len(set(numbers)) == count
    return {str(kernel.action_of(game, number)) for number in numbers}


def assert_equal(state: GroupState, position: DropPosition) -> None:
    game = position.start.game
    legal = {str(action) for action in position.actions()}
    assert legal_set(state, game) == legal
    assert legal_set(state, game, kernel.promising_actions) == legal - losing_passes(
        position, legal
    )
    assert bool(kernel.is_over(state)) == position.is_over
    assert kernel.side_to_move(state) == (position.start.to_move is Colour.WHITE)
    if position.is_over:
        assert position.start.result is not None
        assert kernel.reward(state) == (position.start.result.winner is Colour.BLACK)


def losing_passes(position: DropPosition, legal: set[str]) -> set[str]:
    """A pass of the side that is behind, if there is another action."""
    black, white = position.start.group_counts
    is_behind = black > white if position.start.to_move is Colour.BLACK else white > black
    return {"pass"} if is_behind and not position.drops and len(legal) > 1 else set()


def random_walk(game: Game, seed: int, checked: int) -> None:
    """Play a random game on both, comparing at `checked` actions of it."""
    draw = random.Random(seed)
    position, state = DropPosition(game.start()), kernel.new_state(game)
    loaded = kernel.new_state(game)
    hashes = {}
    when = set(draw.sample(range(3 * len(game.board)), k=min(checked, 3 * len(game.board))))
    actions = np.zeros(kernel.action_count(game), np.int32)
    step = 0
    while not position.is_over:
        if step in when or checked >= 10**6:
            assert_equal(state, position)
            kernel.load(loaded, position)
            assert_equal(loaded, position)
            assert kernel.position_hash(loaded) == kernel.position_hash(state)
        hashes.setdefault(int(kernel.position_hash(state)), position.key)
        assert hashes[int(kernel.position_hash(state))] == position.key
        number = int(actions[draw.randrange(kernel.legal_actions(state, actions))])
        action = kernel.action_of(game, number)
        assert kernel.action_number(game, action) == number
        position = position.act(action)
        kernel.play_action(state, number)
        step += 1
    assert_equal(state, position)


@pytest.mark.parametrize("name", ["yodd", "xodd"])
@settings(max_examples=25)
@given(size=st.integers(2, 4), seed=st.integers(0, 2**32))
def test_plays_whole_games_like_the_rules(name, size, seed):
    random_walk(create_game(name, size), seed, checked=10**6)


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="large boards take long without machine code")
@pytest.mark.parametrize(
    ("name", "size"), [(name, size) for name in SIZES for size in SIZES[name] if size > 4]
)
def test_plays_like_the_rules_on_every_board(name, size):
    game = create_game(name, size)
    cells = len(game.board)
    state, position = kernel.new_state(game), DropPosition(game.start())
    actions = np.zeros(kernel.action_count(game), np.int32)
    draw = random.Random(size)
    empty = cells
    while empty > 0 and not position.is_over:
        # A pass too many would end the game long before the board is full.
        count = kernel.legal_actions(state, actions)
        choices = [kernel.action_of(game, number) for number in actions[:count].tolist()]
        action = draw.choice([c for c in choices if isinstance(c, Drop)] or choices)
        kernel.play_action(state, kernel.action_number(game, action))
        position = position.act(action)
        empty -= isinstance(action, Drop)
        if empty <= NEARLY_FULL:
            assert_equal(state, position)
        elif not position.drops:
            assert tuple(state.numbers[1:3].tolist()) == position.start.group_counts
    loaded = kernel.new_state(game)
    kernel.load(loaded, position)
    assert kernel.position_hash(loaded) == kernel.position_hash(state)


def reach(game: Game, seed: int, actions_made: int) -> DropPosition:
    draw = random.Random(seed)
    position = DropPosition(game.start())
    for _ in range(actions_made):
        position = position.act(draw.choice(list(position.actions())))
    return position


@pytest.mark.skipif(not HAS_NUMBA, reason="thousands of games")
@pytest.mark.parametrize(
    ("name", "made"),
    [("yodd", 0), ("yodd", 3), ("yodd", 4), ("yodd", 6), ("xodd", 0), ("xodd", 2), ("xodd", 3)],
)
def test_a_playout_draws_every_action_alike(name, made):
    # The chance of each finished position, drawn by the rules and by the kernel.
    game = create_game(name, 2)
    position = next(
        p for seed in range(50) if not (p := reach(game, seed, made)).is_over and _is_open(p)
    )
    expected = chances(position)
    games = 40_000
    root, state, numbers = kernel.new_state(game), kernel.new_state(game), generator(made)
    kernel.load(root, position)
    seen: Counter[float] = Counter()
    marks = np.zeros(kernel.action_count(game), np.int32)
    for number in range(games):
        kernel.copy_state(state, root)
        kernel.playout(state, numbers, marks, number + 1)
        seen[tuple(np.sort(np.nonzero(marks == number + 1)[0]).tolist())] += 1
    assert set(seen) <= set(expected)
    cells = [(seen[key], chance * games) for key, chance in expected.items()]
    large = [(o, e) for o, e in cells if e >= 8]
    rest = [sum(x) for x in zip(*((o, e) for o, e in cells if e < 8), strict=True)]
    if rest and rest[1] >= 8:
        large.append((rest[0], rest[1]))
    chi_square = sum((o - e) ** 2 / e for o, e in large)
    freedom = max(len(large) - 1, 1)
    # Wilson and Hilferty's normal approximation, five standard deviations out.
    limit = (
        freedom * (1 - 2 / (9 * freedom) + 5 * (2 / (9 * freedom)) ** 0.5) ** 3 if freedom else 1
    )
    assert chi_square < limit


def _is_open(position: DropPosition) -> bool:
    return len(list(position.actions())) > 2


def chances(position: DropPosition) -> dict[tuple[int, ...], float]:
    """The chance of each set of drops made from `position` on, by all ways to the end."""
    memory: dict = {}

    def visit(at: DropPosition) -> dict[frozenset[int], float]:
        if at.is_over:
            return {frozenset(): 1.0}
        if at.key in memory:
            return memory[at.key]
        found: Counter[frozenset[int]] = Counter()
        actions = list(at.actions())
        for action in actions:
            drop = (
                {kernel.action_number(at.start.game, action)}
                if hasattr(action, "vertex")
                else set()
            )
            for rest, chance in visit(at.act(action)).items():
                found[rest | drop] += chance / len(actions)
        memory[at.key] = found
        return found

    return {tuple(sorted(drops)): chance for drops, chance in visit(position).items()}


def test_equal_seeds_make_equal_games_and_near_seeds_do_not():
    game = create_game("yodd", 3)
    results = []
    for seed in (1, 1, 2):
        state, marks = kernel.new_state(game), np.zeros(kernel.action_count(game), np.int32)
        kernel.playout(state, generator(seed), marks, 1)
        results.append(marks.tolist())
    assert results[0] == results[1] != results[2]


def test_a_finished_game_stays_finished():
    game = create_game("yodd", 2)
    state = kernel.new_state(game)
    kernel.playout(state, generator(0), None, 0)
    assert kernel.is_over(state)
    won = kernel.reward(state)
    assert kernel.playout(state, generator(1), None, 0) == won


@pytest.mark.parametrize("worth", [0.0, 0.25, 2.0])
def test_a_rollout_counts_by_its_lead(worth):
    for seed in range(20):
        state = kernel.new_state(create_game("xodd", 5))
        value = kernel.rollout(state, generator(seed), None, 0, -1, worth)
        black, white = state.numbers[BLACK], state.numbers[WHITE]
        if worth == 0:
            assert value == float(black < white)
        else:
            assert value == pytest.approx(1 / (1 + math.exp(worth * (black - white))))


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="already plain Python")
def test_the_same_without_machine_code():
    chosen = f"{__file__}::test_plays_whole_games_like_the_rules"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", chosen],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout
