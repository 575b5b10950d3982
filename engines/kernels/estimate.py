"""Who is ahead, by uniformly random games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.kernels import plain_playout
from oddly.engines.kernels.available import has_kernel, tell_of_plain_rules
from oddly.engines.kernels.interface import copy_state, load, new_state, playout
from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.numbers import generator
from oddly.engines.kernels.warm import warm

if TYPE_CHECKING:
    from oddly.games import DropPosition


def black_share(position: DropPosition, playouts: int, seed: int) -> float:
    """Return Black's share of the points, 0 to 1, in `playouts` random games from `position`."""
    game = position.start.game
    if not has_kernel(game):
        tell_of_plain_rules(game)
        return plain_playout.black_share(position, playouts, seed)
    start, state = new_state(game), new_state(game)
    random = generator(seed)
    load(start, position)
    warm("estimate", state, lambda: black_points(state, start, random.copy(), 1))
    return float(black_points(state, start, random, playouts)) / playouts


@compiled
def black_points(state, start, random, count):  # type: ignore[no-untyped-def]
    """Return Black's points in `count` playouts from `start`, played in the scratch `state`."""
    points = 0.0
    for _ in range(count):
        copy_state(state, start)
        points += playout(state, random, None, 0)
    return points
