"""Every kernel against games/: the same actions, turns, results and hashes."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.group_rules import BLACK, WHITE
from oddly.engines.kernels.interface import NO_SECOND, legal_turns
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.games.ayu import Ayu
from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition, End
from oddly.games.odd import Odd
from oddly.games.result import Status
from oddly.games.settings import LARGEST_BASE, LARGEST_SQUARE
from oddly.games.turns import EMPTY, PASS, Colour, Drop, Drops, GameError
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from tests.engines.kernels.lockstep import assert_equal, black_points, loaded, marks_for, play_both
from tests.engines.running import run_python
from tests.games.positions import CYCLE, cycle_start

SMALL = {
    "yodd": st.builds(Yodd, st.integers(2, 4)),
    "xodd": st.builds(Xodd, st.integers(2, 4)),
    "odd": st.one_of(
        st.builds(Odd, st.sampled_from([2, 3, 5]), st.just("hexhex"), st.integers(1, 8)),
        st.builds(Odd, st.sampled_from([2, 7]), st.just("square"), st.integers(1, 8)),
    ),
    "ayu": st.builds(Ayu, st.sampled_from([3, 5, 7] if HAS_NUMBA else [3]), st.booleans()),
}
ODD_BOARDS = [("hexhex", n) for n in range(2, 14)] + [("square", n) for n in range(2, 20)]
GAMES = [Yodd(3), Xodd(2), Xodd(3), Odd(3), Ayu(5), Ayu(5, pie=True)]
NEARLY_FULL = 8
"""Empty cells from which on large boards are compared action by action."""

with_numba = pytest.mark.skipif(not HAS_NUMBA, reason="large boards take long without machine code")
each_game = pytest.mark.parametrize("game", [Yodd(3), Xodd(4), Odd(4), Ayu(7)], ids=str)


@pytest.mark.sampled
@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=25)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_plays_whole_games_like_the_rules(name, data, seed):
    play_both(DropPosition(data.draw(SMALL[name]).start()), seed)


@pytest.mark.sampled
@with_numba
@pytest.mark.parametrize("size", range(9, LARGEST_SQUARE + 1, 2))
def test_ayu_is_played_like_the_rules_on_every_board(size):
    play_both(DropPosition(Ayu(size).start()), size, most=5)


@pytest.mark.sampled
@with_numba
def test_ayu_is_played_like_the_rules_to_the_end_on_the_usual_board():
    play_both(DropPosition(Ayu(11, pie=True).start()), 3)


@pytest.mark.sampled
@with_numba
@pytest.mark.parametrize(
    "game",
    [*map(Yodd, range(5, LARGEST_BASE + 1)), *map(Xodd, range(5, LARGEST_SQUARE + 1))],
    ids=str,
)
def test_plays_like_the_rules_on_every_board(game):
    position, actions, empty = DropPosition(game.start()), marks_for(game), len(game.board)
    state, draw = loaded(position), random.Random(game.size)
    while empty > 0 and not position.is_over:
        # A pass too many would end the game long before the board is full.
        count = kernel.legal_actions(state, actions)
        choices = [game.action_of(number) for number in actions[:count].tolist()]
        action = draw.choice([c for c in choices if isinstance(c, Drop)] or choices)
        kernel.play_action(state, game.action_number(action))
        position = position.act(action)
        empty -= isinstance(action, Drop)
        if empty <= NEARLY_FULL:
            assert_equal(state, position)
        elif not position.drops:
            assert tuple(state.numbers[[BLACK, WHITE]].tolist()) == position.start.group_counts
    assert kernel.position_hash(loaded(position)) == kernel.position_hash(state)


def set_up(game, stones):
    """A position of Odd, whose stones tell whose turn it is."""
    to_move = Colour.WHITE if sum(stone != EMPTY for stone in stones) % 2 else Colour.BLACK
    return DropPosition(game.set_up(stones, to_move, Status()))


@pytest.mark.sampled
@pytest.mark.parametrize(("shape", "size"), ODD_BOARDS)
def test_odd_ends_like_the_rules_on_every_board(shape, size):
    draw = random.Random(size)
    for min_group in (1, 2, 3, 5, 20, 1000):
        game = Odd(size, shape, min_group)
        cells = len(game.board)
        stones = [draw.choice(list(Colour)) for _ in range(cells)]
        empty = 3 if cells > 40 else draw.randint(1, cells)
        for index in draw.sample(range(cells), empty):
            stones[index] = EMPTY
        play_both(set_up(game, stones), size)


@pytest.mark.parametrize(("shape", "size"), ODD_BOARDS)
def test_one_colour_and_stripes(shape, size):
    """The largest groups and the most of them, where labels and sizes could overflow."""
    for min_group in (1, size, size * size):
        game = Odd(size, shape, min_group)
        for white in (
            lambda column, row: 0,
            lambda column, row: 1,
            lambda column, row: row % 2,
            lambda column, row: column % 2,
            lambda column, row: (column + row) % 2,
            lambda column, row: (row % 2 == 0 and column % 4 != 0) or (row + column) % 8 == 3,
        ):
            places = game.board.coordinates
            stones = [Colour.WHITE if white(*place) else Colour.BLACK for place in places]
            position = set_up(game, stones)
            assert_equal(loaded(position), position)


def test_boards_beyond_the_limits_do_not_exist():
    """So that labels of 16 bits are enough."""
    for shape, size in (("hexhex", 14), ("square", 20)):
        with pytest.raises(GameError):
            Odd(size, shape)


@pytest.mark.sampled
@each_game
def test_a_copy_may_go_where_another_position_was_and_is_apart_from_it(game):
    draw, position = random.Random(5), DropPosition(game.start())
    state, used, start, end = (kernel.new_state(game) for _ in range(4))
    kernel.playout(end, generator(1), marks_for(game), 1)
    for before in [start, end] * 10:
        kernel.copy_state(used, before)
        kernel.copy_state(used, state)
        assert_equal(used, position)
        assert kernel.position_hash(used) == kernel.position_hash(state)
        if position.is_over:
            break
        action = draw.choice(list(position.actions()))
        kernel.play_action(used, game.action_number(action))
        assert_equal(used, position.act(action))
        assert_equal(state, position)
        kernel.play_action(state, game.action_number(action))
        position = position.act(action)


def test_a_pass_is_no_action_of_odd():
    with pytest.raises(ValueError, match="pass is not an action of this game"):
        Odd().action_number(PASS)


@each_game
def test_equal_seeds_make_equal_games_and_near_seeds_do_not(game):
    results = []
    for seed in (1, 1, 2):
        state, marks = kernel.new_state(game), marks_for(game)
        points = kernel.playout(state, generator(seed), marks, 1)
        assert kernel.is_over(state)
        assert kernel.reward(state) == points == kernel.playout(state, generator(0), None, 0)
        results.append(marks.tolist())
    assert results[0] == results[1] != results[2]


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="already plain Python")
def test_the_same_without_machine_code():
    chosen = "whole_games or seeds or copy or hexhex-3 or square-4"
    words = ("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-k", chosen)
    run_python(*words, __file__, NUMBA_DISABLE_JIT="1")


def turns_of(game, state) -> list[str]:
    """The kernel's turns in the notation of the protocol, the drops of each sorted."""
    scratch, firsts, seconds = kernel.new_state(game), marks_for(game), marks_for(game)
    turns, few = np.zeros((1000, 2), np.int32), np.zeros((3, 2), np.int32)
    count = legal_turns(state, scratch, firsts, seconds, turns)
    assert legal_turns(state, scratch, firsts, seconds, few) == count
    assert (few[:count] == turns[: min(count, 3)]).all()
    return sorted(spelled(game, *map(int, turn)) for turn in turns[:count])


def spelled(game, first: int, second: int) -> str:
    one = game.action_of(first)
    if not isinstance(one, Drop):
        assert second == NO_SECOND
        return str(one)
    two = END if second == NO_SECOND else game.action_of(second)
    return drops(one) if isinstance(two, End) else drops(one, two)


def drops(*stones: Drop) -> str:
    return str(Drops(tuple(sorted(stones, key=str))))


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES, ids=str)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_every_turn_is_listed_once(game, seed):
    draw, position = random.Random(seed), game.start()
    for _ in range(draw.randrange(12)):
        if not position.is_over:
            position = position.play(draw.choice(list(position.legal_turns())))
    expected = [
        drops(*turn.drops) if isinstance(turn, Drops) else str(turn)
        for turn in position.legal_turns()
    ]
    assert turns_of(game, loaded(DropPosition(position))) == sorted(expected)


def test_inside_a_turn_its_ways_to_end_are_listed():
    at = DropPosition(create_game("yodd", 3).start())
    for _ in range(2):
        at = at.act(next(a for a in at.actions() if isinstance(a, Drop)))
    assert len(at.drops) == 1
    expected = ["end" if isinstance(a, End) else drops(a) for a in at.actions()]
    assert turns_of(at.start.game, loaded(at)) == sorted(expected)


@pytest.mark.parametrize("pie", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_positions_played_through_need_no_survey(pie, seed):
    draw, position = random.Random(seed), DropPosition(Ayu(7, pie).start())
    state = loaded(position)
    while not position.is_over:
        for _ in range(draw.randint(1, 5)):
            action = draw.choice(list(position.actions()))
            position = position.act(action)
            kernel.play_through(state, position.start.game.action_number(action))
            is_draw = position.is_over and black_points(position) == 0.5
            assert bool(kernel.is_over(state)) == is_draw
            if position.is_over:
                break
        kernel.survey(state)
        assert_equal(state, position)


@pytest.mark.parametrize("size", [3, 11, LARGEST_SQUARE])
def test_no_two_arrays_of_a_state_overlap(size):
    arrays = [array for array in kernel.new_state(Ayu(size)) if isinstance(array, np.ndarray)]
    assert [pair for pair in combinations(arrays, 2) if np.shares_memory(*pair)] == []


def test_a_position_that_comes_again_is_a_draw():
    position = DropPosition(cycle_start())
    state = loaded(position)
    for turn in CYCLE:
        assert not kernel.is_over(state)
        action = next(a for a in position.actions() if str(a) == turn)
        position = position.act(action)
        kernel.play_action(state, position.start.game.action_number(action))
    for at in (state, loaded(position)):
        assert kernel.is_over(at)
        assert kernel.reward(at) == 0.5
