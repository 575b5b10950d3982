"""Several random games from one leaf of Odd: what they say of it, and of the actions they made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.engines.kernels.odd_kernel import play_several
from oddly.engines.rave_engine import RaveEngine
from oddly.engines.search import tree as ring
from oddly.engines.search.recycling import make_room
from oddly.engines.search.searcher import Searcher, votes_in
from oddly.engines.search.settings import MAX_PLAYOUTS, Settings
from oddly.engines.search.simulation import new_scratch, simulate
from oddly.games.ayu import Ayu
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from oddly.games.turns import Colour
from tests.engines.kernels.lockstep import loaded, reached

BOARDS = [Odd(2), Odd(3), Odd(5), Odd(5, min_group=1), Odd(9), Odd(5, "square"), Odd(12, "square")]
SIMULATIONS = 12


def reward_by_the_rules(position, white):
    """Black's reward if the cells have these colours at the end."""
    for index, stone in enumerate(position.start.stones):
        if stone == 0:
            number = 2 * index + int(white[index])
            position = position.act(position.start.game.action_of(number))
    return float(position.start.result.winner is Colour.BLACK)


def one_after_another(position, numbers, playouts):
    """The colours at the end of each playout, 1 for white, shape (playouts, cells); the rewards."""
    ends, rewards = [], []
    for _ in range(playouts):
        state = loaded(position)
        rewards.append(kernel.playout(state, numbers, None, 0))
        ends.append([int(state.white[p // 64]) >> (p % 64) & 1 for p in map(int, state.points)])
    return np.array(ends), np.array(rewards)


def shares_of(ends, rewards):
    """For each action, in which share of the playouts it was made, and was made and Black won."""
    made = np.stack([1 - ends, ends], axis=2).reshape(len(ends), -1)
    return made.mean(axis=0), (made * rewards[:, None]).mean(axis=0)


@pytest.mark.sampled
@settings(max_examples=40 if HAS_NUMBA else 5)
@given(
    game=st.sampled_from(BOARDS),
    part=st.floats(0, 1),
    playouts=st.integers(1, MAX_PLAYOUTS if HAS_NUMBA else 3),
    seed=st.integers(0, 1000),
)
def test_several_playouts_are_as_many_alone(game, part, playouts, seed):
    position = reached(game, seed, int(part * (len(game.board) - 1)))
    numbers, same_numbers = generator(seed), generator(seed)
    ends, rewards = one_after_another(position, same_numbers, playouts)
    state, actions = loaded(position), kernel.action_count(game)
    # What an earlier leaf left there does not matter.
    made, won = np.full((2, actions), 7, np.float32)
    state.steps[:] = 255
    mean, last = play_several(state, numbers, playouts, made, won)
    assert (mean, last) == (pytest.approx(rewards.mean()), rewards[-1])
    expected_made, expected_won = shares_of(ends, rewards)
    np.testing.assert_allclose(made, expected_made, rtol=1e-6)
    np.testing.assert_allclose(won, expected_won, rtol=1e-6)
    assert numbers == same_numbers
    assert kernel.is_over(state)
    assert kernel.reward(state) == last
    assert last == reward_by_the_rules(position, ends[-1])


def line_of(tree, scratch, position):
    """The position at the leaf of the last simulation, which went this way."""
    level = 0
    while (node := int(ring.find(tree, kernel.position_hash(loaded(position))))) != 0:
        if level > 0 and scratch.path[0, level] >> 1 != node:
            break
        block = int(ring.block_of(tree, node))
        count, room = int(tree.words[block + ring.COUNT]), int(tree.words[block + ring.ROOM])
        places = int(ring.edges_of(block, count, room)[3])
        place = int(tree.words[places + int(scratch.path[1, level])])
        number = int(tree.words[block + ring.HEADER + place])
        position = position.act(position.start.game.action_of(number))
        level += 1
    return position


@pytest.mark.parametrize("playouts", [2, 8, 21])
@pytest.mark.parametrize("drops", [4, 5])
def test_a_simulation_counts_its_playouts_by_their_shares(playouts, drops):
    """The marks at the root after some simulations, most of which go deeper."""
    game, count = Odd(3), 2 * (19 - drops)
    position = reached(game, 4, drops)
    root, state = loaded(position), kernel.new_state(game)
    actions = kernel.action_count(game)
    tree, scratch = ring.new_tree(actions, 2), new_scratch(actions, 1)
    make_room(tree, ring.block_lines(actions, actions))
    chosen = Settings(0.0, 3000, expansion=1, playouts=playouts).as_array()
    marks, won_by_black, total, deepest = np.zeros(actions), np.zeros(actions), 0.0, 0
    for _ in range(SIMULATIONS):
        numbers = scratch.random.copy()
        scratch.path[:] = 0
        assert simulate(tree, scratch, root, state, 1, chosen) == 1
        leaf = line_of(tree, scratch, position)
        deepest = max(deepest, len(leaf.start.stones) - leaf.start.stones.count(0))
        ends, rewards = one_after_another(leaf, numbers, playouts)
        made, won = shares_of(ends, rewards)
        marks += made
        won_by_black += won
        total += rewards.mean()
    assert deepest >= drops + 2
    node = int(ring.find(tree, kernel.position_hash(root)))
    block = int(ring.block_of(tree, node))
    listed = tree.words[block + ring.HEADER : block + ring.HEADER + count]
    at = int(ring.marks_of(block, count))
    is_black = int(kernel.side_to_move(root)) == 0
    credited = won_by_black if is_black else marks - won_by_black
    known = tree.floats[at : at + 2 * count].reshape(2, count)
    np.testing.assert_allclose(known[0], marks[listed], rtol=1e-5)
    np.testing.assert_allclose(known[1], credited[listed], rtol=1e-5, atol=1e-6)
    wins = sum(vote.wins for vote in votes_in(tree, kernel.position_hash(root)).values())
    assert wins == pytest.approx(total if is_black else SIMULATIONS - total)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_of_several_playouts_solves_a_small_board(threads):
    """Ends of the game are proven as ever, and no sum of marks is more than there were games."""
    game = Odd(2, min_group=2)
    for seed in range(6):
        position = reached(game, seed, 2)
        searcher = Searcher(game, megabytes=2, threads=threads, seed=seed)
        searcher.load(position)
        chosen = Settings(0.0, 3000, expansion=1, playouts=8)
        found = searcher.think(chosen, simulations=20_000 if HAS_NUMBA else 400)
        if HAS_NUMBA:
            assert found.is_proven
            assert (found.win_rate == 1.0) == wins(position)
        node = int(ring.find(searcher.tree, kernel.position_hash(searcher.root)))
        block = int(ring.block_of(searcher.tree, node))
        count = int(searcher.tree.words[block + ring.COUNT])
        at = int(ring.marks_of(block, count))
        visits, won = searcher.tree.floats[at : at + 2 * count].reshape(2, count)
        assert (won <= visits * 1.0001).all()
        assert (won >= -0.01).all()


def wins(position):
    """Whether the side to move wins by force."""
    mover = position.start.to_move
    for action in position.actions():
        after = position.act(action)
        if after.is_over:
            if after.start.result.winner is mover:
                return True
        elif not wins(after):
            return True
    return False


@pytest.mark.skipif(not HAS_NUMBA, reason="searches")
def test_the_win_rate_is_a_share_of_games_not_of_leaves():
    """A leaf of which five of eight games are won is no win."""
    game = Odd()
    searcher = Searcher(game, megabytes=16)
    searcher.load(DropPosition(game.start()))
    searcher.think(Settings(1.0, 3000, expansion=1, playouts=8), simulations=20_000)
    votes = searcher.votes().values()
    visits = sum(vote.visits for vote in votes)
    ahead, rewards = (sum(getattr(vote, name) for vote in votes) for name in ("ahead", "wins"))
    # The difference of a game from the mean of its leaf has a deviation of half a game at most.
    assert abs(ahead - rewards) < 5 * 0.5 * visits**0.5


@pytest.mark.parametrize(
    ("options", "playouts", "exploration"),
    [
        ({}, 8, 0.0),
        ({"simulations": 4001}, 8, 0.0),
        ({"simulations": 4000}, 1, 0.25),
        ({"level": 9}, 1, 0.25),
        ({"level": 10}, 8, 0.0),
        ({"playouts": 1}, 1, 0.0),
        ({"playouts": 255}, 255, 0.0),
        ({"simulations": 100, "playouts": 3}, 3, 0.25),
        ({"exploration": 0.5}, 8, 0.5),
        ({"best_of": 3}, 8, 0.0),
        ({"best_of": 1}, 8, 0.0),
    ],
)
def test_levels_and_short_searches_of_studies_play_one_game(options, playouts, exploration):
    engine = RaveEngine()
    for name, value in options.items():
        engine.set_option(name, str(value))
    found = engine.settings(Odd())
    assert (found.playouts, found.exploration) == (playouts, exploration)


@pytest.mark.parametrize("game", [create_game("yodd"), create_game("xodd"), Ayu()], ids=str)
def test_in_other_games_one_game_is_played(game):
    assert RaveEngine().settings(game).playouts == 1
