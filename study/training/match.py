"""Games between two players that search, in pairs from one opening."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from oddly.engines import copy_state, new_state, play_action
from oddly.engines.kernels.interface import is_over, load, reward
from oddly.engines.kernels.interface import side_to_move as side_of
from oddly.games import DropPosition, random_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Game, Position
    from oddly.study.training.subject import Player

MAX_RANDOM_TURNS = 3
"""The maximum number of random turns before a game."""


def pair_points(players: Sequence[Player], simulations: int, seed: int) -> float:
    """Return the first player's points, 0 to 2, in two games from an opening that `seed` decides.

    The players exchange colours for the second game.
    """
    random = Random(seed)
    game = players[0][0].game
    position = random_opening(game, random)
    first, second = players
    seeds = [random.randrange(1 << 30) for _ in range(4)]
    return _black_points((first, second), position, simulations, seeds[:2]) + (
        1 - _black_points((second, first), position, simulations, seeds[2:])
    )


def random_opening(game: Game, random: Random) -> Position:
    """Return the position after up to MAX_RANDOM_TURNS random turns."""
    position = game.start()
    for _ in range(random.randint(1, MAX_RANDOM_TURNS)):
        after = position.play(random_turn(position, random))
        if after.is_over:
            break
        position = after
    return position


def _black_points(
    players: Sequence[Player], position: Position, simulations: int, seeds: Sequence[int]
) -> float:
    at = DropPosition(position)
    root = new_state(position.game)
    load(root, at)
    for (searcher, _), seed in zip(players, seeds, strict=True):
        searcher.forget(seed)
        searcher.load(at)
    while not is_over(root):
        searcher, settings = players[int(side_of(root))]
        copy_state(searcher.root, root)
        play_action(root, searcher.think(settings, simulations=simulations).action)
    return float(reward(root))
