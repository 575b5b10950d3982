"""By how many groups perfect play wins, against a plain search without memory."""

from random import Random

import pytest

from oddly.engines.solver.solution import MAX_EMPTY, PlainSolver, perfect_margin
from oddly.games.catalogue import create_game
from oddly.games.colour import EMPTY, Colour
from oddly.games.drop_level import DropPosition
from oddly.games.game import Status
from oddly.games.legal_turns import random_turn


def endings(name, size, seed, empty):
    """Positions of random games with at most so many empty cells."""
    random = Random(seed)
    position = create_game(name, size).start()
    while not position.is_over:
        if sum(stone == EMPTY for stone in position.stones) <= empty:
            yield position
        position = position.play(random_turn(position, random))


@pytest.mark.parametrize(("name", "size"), [("yodd", 2), ("xodd", 3)])
def test_the_winner_is_the_solver_s(name, size):
    found = [position for seed in range(4) for position in endings(name, size, seed, 3)]
    assert found
    for position in found:
        winner, margin = perfect_margin(position)
        solution = PlainSolver(position.game, 1000).solve(DropPosition(position))
        assert winner is solution.winner
        assert margin >= 1


def test_on_a_full_board_the_count_stands():
    yodd = create_game("yodd", 2)
    # Two passes are still to come.
    full = yodd.set_up([1, 1, 1, 1, 2, 2, 1], Colour.WHITE, Status())
    winner, margin = perfect_margin(full)
    assert margin == full.group_counts.lead(winner)
    assert perfect_margin(create_game("yodd", 2).start()) is None


def test_games_without_a_margin_have_none():
    assert perfect_margin(create_game("ayu", 3).start()) is None
    assert MAX_EMPTY >= 3
