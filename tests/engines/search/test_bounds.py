"""A search stays within its arrays and writes to none that it shares with other threads."""

import random

import numpy as np
import pytest

from oddly.engines.engine import create_engine
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search import searcher as searcher_module
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.thinking_time import fixed
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from tests.engines.running import run_python
from tests.games.positions import SIZES

BOARDS = [
    ("yodd", 2), ("yodd", 8), ("yodd", 13), ("xodd", 2), ("xodd", 12), ("xodd", 19),
    ("odd", 2), ("odd", 5), ("odd", 13), ("ayu", 3), ("ayu", 11), ("ayu", 19),
]  # fmt: skip
"""The smallest, default and largest board of each game."""


def whole_games(*arguments, **environment) -> str:
    """What `tests.engines.whole_games` prints; it fails where anything does."""
    return run_python("-m", "tests.engines.whole_games", *arguments, **environment).stdout


@pytest.mark.sampled
@pytest.mark.parametrize("name", SIZES)
def test_a_search_only_reads_the_position_that_its_threads_share(name):
    game = create_game(name, SIZES[name])
    create_engine("rave").load(game)
    searcher = Searcher(game, megabytes=4)
    choice = random.Random(5)
    position = game.start()
    while not position.is_over:
        searcher.load(DropPosition(position))
        before = [np.copy(array) for array in searcher.root if isinstance(array, np.ndarray)]
        searcher.think(tuned_for(game), simulations=2)
        after = [array for array in searcher.root if isinstance(array, np.ndarray)]
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one, other)
        position = position.play(random_turn(position, choice))


def test_a_full_tree_does_not_stop_the_search_of_a_position_outside_it():
    game = create_game("yodd", 5)
    searcher = Searcher(game, megabytes=4)
    searcher.load(DropPosition(game.start()))
    searcher.think(tuned_for(game), simulations=9000)
    # Black's first turn is over, White drops twice: no such position has room in the tree.
    for _ in range(3):
        searcher.play(searcher.finding().action)
        assert searcher.think(tuned_for(game), simulations=3000).simulations >= 3000
        assert sum(vote.visits for vote in searcher.votes().values()) >= 3000


@pytest.mark.parametrize("threads", [1, 3])
def test_it_knows_an_action_even_without_any_time(threads):
    game = create_game("odd", 3)
    searcher = Searcher(game, threads=threads, megabytes=2)
    for _ in range(3):
        searcher.forget(0)
        searcher.load(DropPosition(game.start()))
        assert searcher.think(tuned_for(game), time=fixed(0.0)).simulations > 0
        assert searcher.finding().action in searcher.votes()


def test_an_error_in_any_thread_is_raised(monkeypatch):
    game = create_game("odd", 3)
    searcher = Searcher(game, threads=2, megabytes=8)
    searcher.load(DropPosition(game.start()))
    second = searcher.workers[1].scratch
    simulate = searcher_module.simulate

    def failing(tree, scratch, *arguments):
        if scratch is second:
            raise IndexError("index is out of bounds")
        return simulate(tree, scratch, *arguments)

    monkeypatch.setattr(searcher_module, "simulate", failing)
    with pytest.raises(IndexError):
        searcher.think(tuned_for(game), simulations=4)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "size"), [("yodd", 2), ("xodd", 3), ("odd", 2), ("ayu", 3)])
def test_nothing_is_accessed_outside_an_array(name, size):
    """Not compiled, so that NumPy checks: machine code with checks takes a minute to make."""
    whole_games(name, str(size), "--threads", "3", "--simulations", "60", NUMBA_DISABLE_JIT="1")


@pytest.mark.soak
@pytest.mark.skipif(not HAS_NUMBA, reason="Python checks bounds itself")
@pytest.mark.parametrize(("name", "size"), BOARDS)
def test_machine_code_accesses_nothing_outside_an_array(name, size):
    whole_games(name, str(size), "--threads", "3", "--simulations", "100", NUMBA_BOUNDSCHECK="1")


@pytest.mark.soak
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", SIZES)
def test_a_thousand_games_end_without_a_crash(name, threads):
    arguments = "--games", "1000", "--threads", str(threads), "--simulations", "16"
    said = whole_games(name, str(SIZES[name]), *arguments, MALLOC_CHECK_="3", MALLOC_PERTURB_="165")
    assert f"1000 games with {threads} threads" in said
