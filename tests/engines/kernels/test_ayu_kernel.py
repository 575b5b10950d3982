"""What the kernel of Ayu alone does: it leaves work to a survey, shares no memory, sees cycles."""

import random
from itertools import combinations

import numpy as np
import pytest

from oddly.engines.kernels import interface as kernel
from oddly.games.ayu import Ayu
from oddly.games.drop_level import DropPosition
from oddly.games.settings import LARGEST_SQUARE
from tests.engines.kernels.lockstep import assert_equal, black_points, loaded
from tests.games.positions import CYCLE, cycle_start


@pytest.mark.parametrize("pie", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_positions_played_through_need_no_survey(pie, seed):
    draw, position = random.Random(seed), DropPosition(Ayu(7, pie).start())
    state = loaded(position)
    while not position.is_over:
        for _ in range(draw.randint(1, 5)):
            action = draw.choice(list(position.actions()))
            position = position.act(action)
            kernel.play_through(state, kernel.action_number(position.start.game, action))
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
        kernel.play_action(state, kernel.action_number(position.start.game, action))
    for at in (state, loaded(position)):
        assert kernel.is_over(at)
        assert kernel.reward(at) == 0.5
