"""Which games have a kernel, and random games by the plain rules for those that have none.

A kernel plays one class of game by its own machine code, so a class derived from ours, whose rules
may differ, has none. What has no kernel is played, searched and solved by its plain rules.
"""

from __future__ import annotations

import sys
from functools import cache
from random import Random

from oddly.games import Action, Ayu, Colour, DropPosition, Drops, Game, Odd, Swap, Xodd, Yodd
from oddly.games.legal_turns import random_step

KERNEL_MODULES: dict[type[Game], str] = {
    Yodd: "oddly.engines.kernels.group_kernel",
    Xodd: "oddly.engines.kernels.group_kernel",
    Odd: "oddly.engines.kernels.odd_kernel",
    Ayu: "oddly.engines.kernels.ayu_kernel",
}


def has_kernel(game: Game) -> bool:
    """Return whether machine code plays `game`."""
    return type(game) in KERNEL_MODULES


def tell_of_plain_rules(game: Game) -> None:
    """Say once, on standard error, that `game` has no kernel."""
    tell_once(f"{game.name} has no kernel, so its plain rules are used: far slower, but the same")


@cache
def tell_once(sentence: str) -> None:
    """Print a sentence on standard error, unless this process has printed it before."""
    print(f"oddly: {sentence}", file=sys.stderr, flush=True)


MAX_TURNS = 1000
"""Turns after which a random game counts as a draw: not all rules make games end."""
MAX_ESTIMATE = 200
"""Games of an estimate by the plain rules, which are too slow for more."""


def playout(at: DropPosition, random: Random, made: set[Action]) -> float:
    """Return Black's reward, 0 to 1, after uniformly random turns; add the actions to `made`.

    It is that of the player who is Black in `at`, whatever is swapped later.
    """
    while at.drops:
        at = at.act(random.choice(list(at.actions())))
    position, is_exchanged = at.start, False
    for _ in range(MAX_TURNS):
        if position.result is not None:
            break
        turn, position = random_step(position, random)
        is_exchanged ^= isinstance(turn, Swap)
        made.update(turn.drops if isinstance(turn, Drops) else (turn,))
    winner = position.result.winner if position.result else None
    return 0.5 if winner is None else float((winner is Colour.BLACK) is not is_exchanged)


def black_share(at: DropPosition, playouts: int, seed: int) -> float:
    """Return Black's share of the points, 0 to 1, in at most MAX_ESTIMATE random games."""
    random = Random(seed)
    number = min(playouts, MAX_ESTIMATE)
    return sum(playout(at, random, set()) for _ in range(number)) / number
