"""Figures that were published for Yodd on the hexhex board of base 8."""

from random import Random
from statistics import mean

import pytest

from oddly.games.catalogue import create_game
from oddly.games.drop_level import END, DropPosition
from oddly.games.turns import EMPTY, PASS, Colour, Drop, IllegalTurn


@pytest.mark.sampled
def test_57460_distinct_positions_lie_within_two_drop_level_plies():
    """The root is left out: 338 after one drop, 338 after a pass, 56,784 after a second drop."""
    root = DropPosition(create_game("yodd", 8).start())
    first = [root.act(action) for action in root.actions()]
    second = [position.act(action) for position in first for action in position.actions()]
    assert len({position.key for position in first}) == 338
    assert len({position.key for position in first + second} - {root.key}) == 57_460


def test_a_uniformly_random_drop_level_game_lasts_about_173_actions():
    lengths = [_random_game_length(Random(seed)) for seed in range(8)]
    assert mean(lengths) == pytest.approx(173, abs=4)


def _random_game_length(random: Random) -> int:
    """Actions of a game in which every legal action is chosen with the same probability."""
    position = DropPosition(create_game("yodd", 8).start())
    length = 0
    while not position.is_over:
        position = _after_random_action(position, random)
        length += 1
    return length


def _after_random_action(position: DropPosition, random: Random) -> DropPosition:
    """Draw from a set that holds every legal action until a legal one is drawn."""
    vertices = position.start.game.board.vertices
    empty = [vertices[i] for i, stone in enumerate(position.start.stones) if stone == EMPTY]
    drops = [Drop(colour, vertex) for vertex in empty for colour in Colour]
    while True:
        action = random.choice([*drops, END if position.drops else PASS])
        try:
            return position.act(action)
        except IllegalTurn:
            continue
