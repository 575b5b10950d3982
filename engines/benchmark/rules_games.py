"""Uniformly random games by `games/`, drop by drop: what the kernels' playouts are measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.drop_level import END, DropPosition
from oddly.games.errors import IllegalTurn
from oddly.games.turns import PASS, Drop, Drops, Pass

if TYPE_CHECKING:
    from random import Random

    from oddly.games.drop_level import Action
    from oddly.games.game import Game
    from oddly.games.result import Result

TRIES = 64


def random_game(game: Game, random: Random) -> tuple[int, Result]:
    """Play uniformly random legal actions; return the drops (in Ayu: moves) and the result."""
    position, drops = DropPosition(game.start()), 0
    while position.start.result is None:
        action, position = random_action(position, random)
        drops += action not in (PASS, END)
    return drops, position.start.result


def random_action(position: DropPosition, random: Random) -> tuple[Action, DropPosition]:
    """Return a uniformly random legal action and the position after it.

    Drops, and a pass or an end, are drawn until one is legal; after too many misses, or in a game
    without drops, the legal actions are listed.
    """
    start = position.start
    if start.most_drops and start.game.turn_kinds <= {Drops, Pass}:
        vertices = start.game.board.vertices
        taken = {drop.vertex for drop in position.drops}
        empty = [
            vertex
            for vertex, stone in zip(vertices, start.stones, strict=True)
            if stone == EMPTY and vertex not in taken
        ]
        for _ in range(TRIES):
            number = random.randrange(2 * len(empty) + 1)
            action: Action = END if position.drops else PASS
            if number < 2 * len(empty):
                action = Drop(Colour.WHITE if number % 2 else Colour.BLACK, empty[number // 2])
            try:
                return action, position.act(action)
            except IllegalTurn:
                continue
    action = random.choice(list(position.actions()))
    return action, position.act(action)
