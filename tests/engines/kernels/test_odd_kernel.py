"""The kernel of Odd against `games/`, which is the truth."""

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels import odd_kernel
from oddly.engines.kernels.numbers import generator
from oddly.games.colour import EMPTY, Colour
from oddly.games.drop_level import DropPosition
from oddly.games.errors import GameError
from oddly.games.odd import Odd
from oddly.games.turns import PASS

BOARDS = [("hexhex", size) for size in range(2, 14)] + [("square", size) for size in range(2, 20)]
UNMARKED = -1
STAMP = 7


@cache
def kept_state(game):
    return odd_kernel.new_state(game)


def loaded(position):
    state = kept_state(position.start.game)
    odd_kernel.load(state, position)
    return state


def after_random_drops(game, drops, random):
    """The stones of a position, chosen without playing to it."""
    stones = [EMPTY] * len(game.board)
    for index in random.sample(range(len(stones)), drops):
        stones[index] = random.choice(list(Colour))
    to_move = Colour.WHITE if drops % 2 else Colour.BLACK
    return DropPosition(game.set_up(stones, to_move, game.start().status))


def assert_equal(state, position):
    game = position.start.game
    actions = np.zeros(odd_kernel.action_count(game), np.int32)
    count = odd_kernel.legal_actions(state, actions)
    numbers = [odd_kernel.action_number(game, action) for action in position.actions()]
    assert sorted(actions[:count]) == sorted(numbers)
    assert odd_kernel.side_to_move(state) == (position.start.to_move is Colour.WHITE)
    assert odd_kernel.is_over(state) == position.is_over
    if position.is_over:
        assert odd_kernel.reward(state) == (position.start.result.winner is Colour.BLACK)


def play_both(state, position, random, hashes):
    """Play to the end at random, comparing after every action."""
    while True:
        assert_equal(state, position)
        value = int(odd_kernel.position_hash(state))
        assert hashes.setdefault(value, position.key) == position.key
        fresh = odd_kernel.new_state(position.start.game)
        odd_kernel.load(fresh, position)
        assert int(odd_kernel.position_hash(fresh)) == value
        if position.is_over:
            return
        action = random.choice(list(position.actions()))
        odd_kernel.play_action(state, odd_kernel.action_number(position.start.game, action))
        position = position.act(action)


@pytest.mark.sampled
@pytest.mark.parametrize(("shape", "size"), BOARDS)
def test_ends_like_the_rules_on_every_board(shape, size):
    random = Random(size)
    for min_group in (1, 2, 3, 5, 20, 1000):
        game = Odd(size=size, shape=shape, min_group=min_group)
        cells = len(game.board)
        hashes = {}
        drops = max(0, cells - 3) if cells > 40 else random.randrange(cells)
        position = after_random_drops(game, drops, random)
        play_both(loaded(position), position, random, hashes)


@pytest.mark.parametrize(("shape", "size"), BOARDS)
def test_one_colour_and_stripes(shape, size):
    """The largest groups and the most of them, where labels and sizes could overflow."""
    for min_group in (1, size, size * size):
        game = Odd(size=size, shape=shape, min_group=min_group)
        places = game.board.coordinates
        for white in (
            lambda column, row: 0,
            lambda column, row: 1,
            lambda column, row: row % 2,
            lambda column, row: column % 2,
            lambda column, row: (column + row) % 2,
            lambda column, row: (row % 2 == 0 and column % 4 != 0) or (row + column) % 8 == 3,
        ):
            stones = [Colour.WHITE if white(*place) else Colour.BLACK for place in places]
            to_move = Colour.WHITE if len(stones) % 2 else Colour.BLACK
            position = DropPosition(game.set_up(stones, to_move, game.start().status))
            assert_equal(loaded(position), position)


@given(
    st.sampled_from([("hexhex", 2), ("hexhex", 3), ("hexhex", 5), ("square", 2), ("square", 7)]),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
)
@settings(max_examples=30)
def test_plays_like_the_rules_from_the_start(board, min_group, random):
    shape, size = board
    game = Odd(size=size, shape=shape, min_group=min_group)
    position = DropPosition(game.start())
    play_both(loaded(position), position, random, {})


def test_hashes_are_equal_when_the_drops_come_in_another_order():
    game = Odd(size=3)
    drops = [4, 11, 20, 35]
    hashes = set()
    for order in (drops, drops[::-1], [11, 35, 4, 20]):
        state = odd_kernel.new_state(game)
        for action in order:
            odd_kernel.play_action(state, action)
        hashes.add(int(odd_kernel.position_hash(state)))
    assert len(hashes) == 1


@pytest.mark.parametrize(("shape", "size"), [("hexhex", 2), ("hexhex", 13), ("square", 19)])
def test_actions_have_numbers(shape, size):
    game = Odd(size=size, shape=shape)
    for number in range(odd_kernel.action_count(game)):
        action = odd_kernel.action_of(game, number)
        assert odd_kernel.action_number(game, action) == number
        assert game.board.index[action.vertex] == number // 2
        assert action.colour is (Colour.WHITE if number % 2 else Colour.BLACK)


def test_a_pass_is_no_action():
    with pytest.raises(ValueError, match="no action of Odd"):
        odd_kernel.action_number(Odd(), PASS)


def played_out(position, random, marks=None, stamp=0):
    """The colours of the cells after a playout, and what it returned."""
    state = loaded(position)
    value = odd_kernel.playout(state, random, marks, stamp)
    return colours(state), value


def colours(state):
    """The colour of every cell, as the state's bits say."""
    return [int(state.white[point // 64]) >> (point % 64) & 1 for point in map(int, state.points)]


def full_position(game, white):
    stones = [Colour.WHITE if bit else Colour.BLACK for bit in white]
    to_move = Colour.WHITE if len(stones) % 2 else Colour.BLACK
    return DropPosition(game.set_up(stones, to_move, game.start().status))


@pytest.mark.parametrize("board", [("hexhex", 2), ("hexhex", 5), ("hexhex", 9), ("square", 12)])
def test_playouts_keep_stones_mark_drops_and_judge_right(board):
    shape, size = board
    game = Odd(size=size, shape=shape)
    numbers = Random(size)
    random = generator(size)
    for drops in {0, 1, len(game.board) // 2, len(game.board) - 1, len(game.board)}:
        position = after_random_drops(game, drops, numbers)
        marks = np.full(odd_kernel.action_count(game), UNMARKED, np.int32)
        white, value = played_out(position, random, marks, STAMP)
        expected = set()
        for index, stone in enumerate(position.start.stones):
            if stone == EMPTY:
                expected.add(2 * index + white[index])
            else:
                assert white[index] == (stone == Colour.WHITE)
        assert set(np.nonzero(marks == STAMP)[0]) == expected
        assert np.count_nonzero(marks == UNMARKED) == len(marks) - len(expected)
        end = full_position(game, white)
        assert value == (end.start.result.winner is Colour.BLACK)
        assert odd_kernel.is_over(loaded(end))


@pytest.mark.parametrize(("drops", "seed"), [(0, 1), (0, 2), (3, 3)])
def test_every_colouring_is_as_likely(drops, seed):
    """Chi-square over all final colourings, 0.01 % of its tail."""
    game = Odd(size=2, shape="hexhex", min_group=2)
    position = after_random_drops(game, drops, Random(seed))
    random = generator(seed)
    kinds = 2 ** (len(game.board) - drops)
    each = 40
    found = Counter(tuple(played_out(position, random)[0]) for _ in range(each * kinds))
    assert len(found) <= kinds
    chi_square = sum((count - each) ** 2 / each for count in found.values())
    chi_square += each * (kinds - len(found))
    # Wilson and Hilferty's approximation of the quantile at 3.72 standard deviations.
    freedom = kinds - 1
    assert chi_square < freedom * (1 - 2 / (9 * freedom) + 3.72 * (2 / (9 * freedom)) ** 0.5) ** 3


@pytest.mark.sampled
def test_cells_are_coloured_independently():
    """On the large board: no cell and no pair of neighbours leans to one side."""
    game = Odd(size=5)
    position = DropPosition(game.start())
    random = generator(5)
    games = 4000
    ends = np.array([played_out(position, random)[0] for _ in range(games)])
    limit = 4.5 * games**0.5 / 2
    assert np.abs(ends.sum(axis=0) - games / 2).max() < limit
    for index, near in enumerate(game.board.neighbours):
        for other in near:
            assert abs((ends[:, index] ^ ends[:, other]).sum() - games / 2) < limit


def test_the_same_seed_gives_the_same_playouts():
    position = DropPosition(Odd(size=5).start())
    runs = []
    for seed in (1, 1, 2):
        random = generator(seed)
        runs.append([played_out(position, random) for _ in range(5)])
    assert runs[0] == runs[1] != runs[2]


def test_marks_do_not_change_a_playout_and_a_rollout_is_one():
    game = Odd(size=5)
    position = DropPosition(game.start())
    marks = np.zeros(odd_kernel.action_count(game), np.int32)
    plain = [played_out(position, random) for random in [generator(9)]]
    marked = [played_out(position, random, marks, 1) for random in [generator(9)]]
    state = loaded(position)
    value = odd_kernel.rollout(state, generator(9), None, 0, 2, 0.25)
    assert plain == marked == [(colours(state), value)]


def test_copies_are_independent():
    game = Odd(size=4)
    source, target = odd_kernel.new_state(game), odd_kernel.new_state(game)
    odd_kernel.play_action(source, 9)
    odd_kernel.copy_state(target, source)
    assert odd_kernel.position_hash(target) == odd_kernel.position_hash(source)
    odd_kernel.playout(target, generator(1), None, 0)
    assert not odd_kernel.is_over(source)
    assert_equal(source, DropPosition(game.start()).act(odd_kernel.action_of(game, 9)))


@pytest.mark.sampled
@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="this is that run")
def test_runs_as_plain_python():
    """This file again without Numba's compiler, on the small boards."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", __file__]
    names = "from_the_start or same_seed or another_order or independent or hexhex-3 or square-4"
    done = subprocess.run(
        [*command, "-k", names],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_boards_beyond_the_limits_do_not_exist():
    """So that labels of 16 bits are enough."""
    for shape, size in (("hexhex", 14), ("square", 20)):
        with pytest.raises(GameError):
            Odd(size=size, shape=shape)
