"""What is seen of a position, and how it turns with the board."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.games import Odd, create_game
from oddly.learning import PLANES, OneGame, observation, observation_shape, symmetries
from tests.games.test_drop_level import BOARDS


def test_the_planes_are_those_of_the_page():
    position = create_game("yodd", 2).start().play("Bb2").play("pass")
    planes = dict(zip(PLANES, observation(position), strict=True))
    assert planes["black"].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert planes["board"].tolist() == [[0, 1, 1], [1, 1, 1], [1, 1, 0]]
    assert not planes["white"].any()
    for name, value in {"half_turn": 0, "passed": 1, "white_to_move": 0, "odd": 1}.items():
        assert (planes[name] == value).all()
    half = position.play_action(position.game.action_number(next(position.first_drops())))
    planes = dict(zip(PLANES, observation(half), strict=True))
    assert (planes["half_turn"] == 1).all()
    assert not planes["passed"].any()
    ayu = create_game("ayu", 3, {"pie": True}).start()
    assert not observation(ayu)[PLANES.index("may_swap")].any()
    after = ayu.play(next(ayu.legal_turns()))
    assert observation(after)[PLANES.index("may_swap")].all()
    assert observation_shape(ayu.game) == observation(ayu).shape == (8, 3, 3)


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_game_that_is_turned_looks_and_goes_on_as_its_planes_and_masks_do(
    name, size, options, seed
):
    random = Random(seed)
    game = create_game(name, size, options)
    found = symmetries(game)
    number = random.randrange(len(found))
    if name == "ayu":
        # Not every symmetry leaves the pieces where they begin.
        start = observation(game.start())
        number = next(
            n for n in random.sample(range(len(found)), len(found))
            if np.array_equal(found.augment(start, np.zeros(game.action_count), n)[0], start)
        )  # fmt: skip
    one, turned = OneGame(game), OneGame(game)
    for _ in range(random.randrange(20)):
        if one.is_over:
            break
        action = random.choice(one.position.legal_actions())
        one.step(action)
        turned.step(int(found.actions[number, action]))
    planes, mask = found.augment(
        observation(one.position), np.asarray(one.position.action_mask()), number
    )
    assert (planes == observation(turned.position)).all()
    assert mask.tolist() == turned.position.action_mask().tolist()
    assert one.is_over == turned.is_over


def test_symmetries_are_tables_and_the_first_changes_nothing():
    for name, count in (("yodd", 12), ("xodd", 8), ("odd", 24)):
        game = create_game(name, 3)
        found = symmetries(game)
        assert len(found) == count
        planes = np.random.default_rng(1).integers(0, 2, (5, *observation_shape(game)))
        policies = np.random.default_rng(2).random((5, game.action_count))
        same, as_before = found.augment(planes, policies, 0)
        assert (same == planes).all()
        assert (as_before == policies).all()
        assert len({tuple(row) for row in found.actions.tolist()}) == count


def test_a_game_that_may_not_be_symmetric_has_none():
    class Lopsided(Odd):
        is_symmetric = False

    with pytest.raises(ValueError, match="not known to be the same on a board that is turned"):
        symmetries(Lopsided(2))


def test_after_a_swap_the_first_player_is_to_move_and_the_colours_are_exchanged():
    game = create_game("ayu", 5, {"pie": True})
    one = OneGame(game)
    one.step(one.position.legal_actions()[0])
    assert one.player == 1
    one.step(game.action_count - 1)
    assert one.player == 0
    copy = one.copy()
    random = Random(1)
    while not copy.is_over:
        copy.step(random.choice(copy.position.legal_actions()))
    winner = copy.position.result.winner
    assert copy.rewards() == ((1.0, -1.0) if winner == 2 else (-1.0, 1.0))
    assert not one.is_over
