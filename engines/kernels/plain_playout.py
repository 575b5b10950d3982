"""Random games by the plain rules, for games that have no kernel."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from oddly.games import Colour, Drops
from oddly.games.sampling import random_step

if TYPE_CHECKING:
    from oddly.games import Action, DropPosition

MAX_TURNS = 1000
"""Turns after which a random game counts as a draw: not all rules make games end."""
MAX_ESTIMATE = 200
"""Games of an estimate by the plain rules, which are too slow for more."""


def playout(at: DropPosition, random: Random, made: set[Action]) -> float:
    """Black's reward, 0 to 1, after uniformly random turns; the actions are added to `made`."""
    while at.drops:
        at = at.act(random.choice(list(at.actions())))
    position = at.start
    for _ in range(MAX_TURNS):
        if position.result is not None:
            break
        turn, position = random_step(position, random)
        made.update(turn.drops if isinstance(turn, Drops) else (turn,))
    winner = position.result.winner if position.result else None
    return 0.5 if winner is None else float(winner is Colour.BLACK)


def black_share(at: DropPosition, playouts: int, seed: int) -> float:
    """Black's share of the points, 0 to 1, in random games: MAX_ESTIMATE of them at the most."""
    random = Random(seed)
    number = min(playouts, MAX_ESTIMATE)
    return sum(playout(at, random, set()) for _ in range(number)) / number
