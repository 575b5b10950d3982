"""Many games at once are the games of the rules, action by action."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import Colour, Drop, DropPosition, IllegalTurn, Odd, create_game
from oddly.learning import PLANES, BatchEnvironment, OneGame, Playouts, observation

BOARDS = [
    ("yodd", 2, {}),
    ("yodd", 3, {}),
    ("xodd", 4, {}),
    ("odd", 3, {"board": "square", "min_group": 1}),
    ("odd", 3, {"min_group": 3}),
    ("odd", 5, {}),
    ("ayu", 5, {"pie": True}),
]
GAMES = 3


def assert_shows(batch, games):
    for number, game in enumerate(games):
        position = game.position
        shown = batch.observations[number]
        for name, plane, expected in zip(PLANES, shown, observation(position), strict=True):
            assert plane.tolist() == expected.tolist(), name
        assert batch.masks[number].tolist() == position.action_mask().tolist()
        assert game.is_over or batch.players[number] == game.player


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), auto_reset=st.booleans(), threads=st.sampled_from([1, 2]))
def test_every_step_is_that_of_the_rules(name, size, options, seed, auto_reset, threads):
    game = create_game(name, size, options)
    batch = BatchEnvironment(game, GAMES, seed=seed, auto_reset=auto_reset, threads=threads)
    games = [OneGame(game) for _ in range(GAMES)]
    assert_shows(batch, games)
    for _ in range(2 * len(game.board)):
        actions = batch.random_actions()
        observations, rewards, ends, masks = batch.step(actions)
        assert observations is batch.observations
        assert masks is batch.masks
        for number, action in enumerate(actions.tolist()):
            one = games[number]
            was_over = one.is_over
            if not was_over:
                one.step(action)
            assert ends[number] == (one.is_over and not was_over)
            expected = (0.0, 0.0) if was_over else one.rewards()
            assert tuple(rewards[number].tolist()) == expected
            if one.is_over and auto_reset:
                games[number] = OneGame(game)
        assert_shows(batch, games)


def test_saved_games_go_on_whether_or_not_games_begin_again():
    game = create_game("odd", 2)
    staying, begun_again = (
        BatchEnvironment(game, 2, seed=1, auto_reset=auto_reset) for auto_reset in (False, True)
    )
    for _ in range(len(game.board)):
        at_end = staying.save()
        for batch in (staying, begun_again):
            batch.step(batch.random_actions())
    assert begun_again.ends.all()
    assert staying.ends.all()
    staying.restore(begun_again.save())
    assert not staying.ends.any()
    assert staying.step(staying.random_actions())[0].any()
    assert staying.masks.sum() == 2 * (game.action_count - 2)
    begun_again.restore(at_end)
    begun_again.step(begun_again.random_actions())
    assert begun_again.ends.all()
    for _ in range(len(game.board) - 1):
        staying.step(staying.random_actions())
    before = begun_again.observations.copy()
    with pytest.raises(ValueError, match=r"saved game 0 is over: with auto_reset no game stays"):
        begun_again.restore(staying.save(), source=[0], target=[1])
    assert (begun_again.observations == before).all()
    staying.restore(staying.save(), source=[1], target=[0])
    assert not staying.masks.any()
    _, rewards, ends, _ = staying.step([0, 0])
    assert not rewards.any()
    assert not ends.any()


@pytest.mark.parametrize(("wrong", "said"), [
    (np.array([False, False, True]), r"shape \(3,\) and type bool: .*as np.flatnonzero returns"),
    ([1.0], r"shape \(1,\) and type float64: expected a row of whole numbers$"),
    ([[0, 1]], r"shape \(1, 2\) and type int64: expected a row"),
    (2, r"shape \(\) and type int64: expected a row"),
    (["a"], r"type <U1: expected a row"),
])  # fmt: skip
def test_what_is_no_row_of_numbers_names_no_games(wrong, said):
    batch = BatchEnvironment(create_game("odd", 2), 3)
    batch.step(batch.random_actions())
    saved, before = batch.save(), batch.observations.copy()
    batch.step(batch.random_actions())
    after = batch.observations.copy()
    for names in ({"source": wrong}, {"target": wrong}, {"source": wrong, "target": wrong}):
        with pytest.raises(ValueError, match=said):
            batch.restore(saved, **names)
    assert (batch.observations == after).all()
    batch.restore(saved, source=[], target=[])
    assert (batch.observations == after).all()
    batch.restore(saved, *2 * [np.flatnonzero([False, True, False]).astype(np.uint8)])
    assert (batch.observations[1] == before[1]).all()


def test_saved_games_are_exact_and_go_anywhere():
    batch = BatchEnvironment(create_game("yodd", 3), 4, seed=5)
    for _ in range(7):
        batch.step(batch.random_actions())
    saved = batch.save()
    before = batch.observations.copy(), batch.masks.copy(), batch.players.copy()
    games = [[batch.step(batch.random_actions())[0].copy() for _ in range(30)]]
    batch.restore(saved)
    after = batch.observations, batch.masks, batch.players
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
    games.append([batch.step(batch.random_actions())[0].copy() for _ in range(30)])
    assert np.array_equal(*games)
    other = BatchEnvironment(batch.game, 6, seed=9)
    other.restore(saved, source=[2, 2, 0], target=[5, 1, 0])
    assert (other.observations[[5, 1, 0]] == before[0][[2, 2, 0]]).all()
    assert (other.masks[[5, 1, 0]] == before[1][[2, 2, 0]]).all()
    assert (other.observations[3] == observation(batch.game.start())).all()
    with pytest.raises(ValueError, match=r"games are of yodd 3, the environment's of yodd 2"):
        BatchEnvironment(create_game("yodd", 2), 4).restore(saved)
    with pytest.raises(ValueError, match="there is no game 4: expected numbers from 0 to 3"):
        other.restore(saved, source=[4], target=[0])
    with pytest.raises(ValueError, match="1 saved games for 2 places"):
        other.restore(saved, source=[3], target=[0, 1])


def test_equal_seeds_make_equal_games_in_any_company():
    game = create_game("xodd", 4)

    def first_game(number, seed):
        batch = BatchEnvironment(game, number, seed=seed)
        return [int(batch.random_actions()[0]) for _ in range(4) if not batch.step(
            batch.random_actions())[2][0]]  # fmt: skip

    assert first_game(1, 3) == first_game(5, 3)
    assert first_game(1, 3) != first_game(1, 4)
    batch = BatchEnvironment(game, 2, seed=[7, 7])
    one, other = batch.random_actions()
    assert one == other
    batch.reset(seed=[7, 8])
    assert batch.random_actions()[0] == one
    with pytest.raises(ValueError, match="3 seeds for 2 games"):
        batch.reset(seed=[1, 2, 3])


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_a_seed_may_be_a_number_of_numpy(kind):
    game = create_game("odd", 2)
    drawn = [
        BatchEnvironment(game, 2, seed=seed).random_actions().tolist()
        for seed in (3, kind(3), np.array([3 << 32, (3 << 32) + 1]))
    ]
    assert drawn[0] == drawn[1] == drawn[2]


@pytest.mark.parametrize(("seed", "other"), [
    (1, 2**32 + 1), (0, 2**40), (3, -3), (0, 2**10000), ([1, 1], [2**64 + 1, 2**64 + 1]),
    ([2**64 - 1, 0], [-1, 0]),
])  # fmt: skip
def test_every_bit_of_a_seed_counts(seed, other):
    batch = BatchEnvironment(create_game("odd", 3), 2)

    def played(seed):
        batch.reset(seed)
        return [batch.random_actions().tolist() for _ in range(5)]

    assert played(seed) == played(seed) != played(other)


def test_a_fraction_is_no_seed():
    batch = BatchEnvironment(create_game("odd", 2), 2)
    for wrong in (1.5, [1.5, 2.5]):
        with pytest.raises(TypeError, match="float"):
            batch.reset(wrong)


def test_a_position_of_the_rules_is_put_into_a_game():
    game = create_game("yodd", 3)
    batch = BatchEnvironment(game, 2)
    half = DropPosition(game.start().play("Bc3")).act(Drop(Colour.WHITE, "c4"))
    batch.load(1, half)
    assert (batch.observations[1] == observation(half)).all()
    assert batch.masks[1].tolist() == half.action_mask().tolist()
    assert (batch.observations[0] == observation(game.start())).all()
    with pytest.raises(ValueError, match="expected a position of yodd 3 that is not over"):
        batch.load(0, create_game("yodd", 2).start())
    before = batch.save()
    with pytest.raises(ValueError, match="expected a row of whole numbers"):
        batch.load(1.7, game.start())
    for number in (2, -1):
        with pytest.raises(ValueError, match=f"there is no game {number}: expected .* from 0 to 1"):
            batch.load(number, game.start())
    after = batch.save()
    assert all((one == other).all() for one, other in zip(before.arrays, after.arrays, strict=True))


def test_an_illegal_action_changes_no_game():
    game = create_game("yodd", 3)
    batch = BatchEnvironment(game, 2)
    before = batch.observations.copy()
    with pytest.raises(IllegalTurn, match="game 1: action 38, pass, is illegal: see its mask"):
        batch.step([0, 38])
    with pytest.raises(IllegalTurn, match="game 0: action -1, expected a number from 0 to 39"):
        batch.step([-1, 0])
    for number in (2**31, 2**32, 2**32 + 3, -(2**32)):
        with pytest.raises(IllegalTurn, match=f"game 1: action {number}, expected a number"):
            batch.step([0, number])
    for wrong in ([0], [[0, 0]], [0.0, 1.0]):
        with pytest.raises(ValueError, match=r"expected whole numbers, of shape \(2,\)"):
            batch.step(wrong)
    assert (batch.observations == before).all()


def test_nobody_can_write_to_what_the_next_step_builds_on():
    batch = BatchEnvironment(create_game("odd", 2), 2)
    for array in (batch.observations, batch.masks, batch.rewards, batch.ends, batch.players):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    size = batch.nbytes
    for _ in range(50):
        batch.step(batch.random_actions())
    assert batch.nbytes == size > 0


def test_its_bytes_are_those_of_all_its_arrays():
    batch = BatchEnvironment(create_game("odd", 2), 100)
    saved = batch.save()
    shown = (batch.observations, batch.masks, batch.rewards, batch.ends, batch.players)
    kept = (*saved.arrays, saved.generators, saved.over)
    assert batch.nbytes > sum(array.nbytes for array in (*shown, *kept))


def test_what_cannot_be_played_is_refused():
    class Mine(Odd):
        name = "mine"

    with pytest.raises(ValueError, match="mine has no kernel: OneGame plays it"):
        BatchEnvironment(Mine(2), 2)
    with pytest.raises(ValueError, match="0 games in 1 threads: expected 1 or more of each"):
        BatchEnvironment(create_game("odd", 2), 0)


def share_by_hand(position, number, random):
    """Uniformly random actions by the plain rules."""
    points = 0.0
    for _ in range(number):
        at = position
        while not at.is_over:
            at = at.play_action(random.choice(at.legal_actions()))
        winner = at.result.winner
        points += 0.5 if winner is None else winner is Colour.BLACK
    return points / number


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
def test_the_share_is_that_of_random_games_by_the_rules(name, size, options):
    random, position = Random(3), create_game(name, size, options).start()
    playouts = Playouts(position.game, seed=2)
    for _ in range(3):
        if position.is_over:
            break
        expected = share_by_hand(position, 400, random)
        assert playouts.black_share(position, 4000) == pytest.approx(expected, abs=0.12)
        position = position.play_action(random.choice(position.legal_actions()))


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
def test_a_game_that_is_over_keeps_its_result(name, size, options):
    random, position = Random(5), create_game(name, size, options).start()
    playouts = Playouts(position.game)
    while not position.is_over:
        position = position.play_action(random.choice(position.legal_actions()))
    assert playouts.black_share(position, 3) == share_by_hand(position, 1, random)


def test_equal_seeds_give_equal_answers():
    start = create_game("yodd", 3).start()
    answers = [
        [playouts.black_share(start, 3) for _ in range(20)]
        for playouts in (Playouts(start.game, 1), Playouts(start.game, 1), Playouts(start.game, 2))
    ]
    assert answers[0] == answers[1] != answers[2]


def test_a_game_without_a_kernel_is_played_by_its_plain_rules():
    class Mine(Odd):
        name = "mine"

    start = Mine(2, min_group=2).start()
    assert Playouts(start.game).black_share(start, 100) == pytest.approx(0.5, abs=0.3)


def test_what_playouts_refuse():
    playouts = Playouts(create_game("odd", 2))
    for position, number in ((create_game("odd", 3).start(), 1), (playouts.game.start(), 0)):
        with pytest.raises(ValueError, match="expected a position of odd 2"):
            playouts.black_share(position, number)
