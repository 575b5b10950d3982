"""Random turns: the same ones whether or not the position after them is asked for."""

from random import Random

import pytest

from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_step, random_turn


@pytest.mark.parametrize(
    ("name", "size"), [("yodd", 3), ("xodd", 4), ("odd", 3), ("ayu", 5)], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_a_turn_and_the_position_after_it(name, size, seed):
    position = create_game(name, size).start()
    one, other = Random(seed), Random(seed)
    while not position.is_over:
        turn, after = random_step(position, one)
        assert turn == random_turn(position, other)
        assert after.key == position.play(turn).key
        position = after
    with pytest.raises(ValueError, match="the game is over"):
        random_step(position, one)
