"""The counts of the kernels by the plain rules, for games without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.drop_level import DropPosition
from oddly.study.symmetries import stone_images

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from random import Random

    from oddly.games.game import Game
    from oddly.study.replaying import ReplayedGame

MAX_ACTIONS = 4096
"""Actions after which a random game is given up, a draw."""


def random_walk(game: Game, random: Random) -> tuple[list[int], int, float]:
    """A game of equally likely actions: the choices before each, the turns, Black's points."""
    at, choices, turns = DropPosition(game.start()), list[int](), 0
    while not at.is_over and len(choices) < MAX_ACTIONS:
        actions = list(at.actions())
        choices.append(len(actions))
        at = at.act(random.choice(actions))
        turns += not at.drops
    winner = at.start.result.winner if at.start.result else None
    return choices, turns, 0.5 if winner is None else float(winner is Colour.BLACK)


def legal_counts(replayed: ReplayedGame) -> tuple[list[int], list[int]]:
    """Along a game, the legal turns before each turn and the legal actions before each action."""
    turns, actions = [], []
    for position, made in zip(replayed.positions, replayed.actions(), strict=True):
        turns.append(sum(1 for _ in position.legal_turns()))
        at = DropPosition(position)
        for action in made:
            actions.append(sum(1 for _ in at.actions()))
            at = at.act(action)
    return turns, actions


def positions_by_depth(game: Game, depth: int, most: int) -> list[tuple[int, int, int]]:
    """For each depth from 0, the new positions, those up to symmetry, and the finished ones.

    It goes no deeper than `depth`, nor where more than `most` positions would be looked at.
    """
    images = stone_images(game)
    start = DropPosition(game.start())
    level, seen = [start], {start.key}
    found = [(1, 1, 0)]
    widest = 1
    while level and len(found) <= depth and len(level) * widest <= most:
        following: dict[Hashable, DropPosition] = {}
        widest = 0
        for at in level:
            actions = list(at.actions())
            widest = max(widest, len(actions))
            for after in map(at.act, actions):
                if after.key not in seen:
                    following.setdefault(after.key, after)
        seen |= following.keys()
        alike = {_up_to_symmetry(at, images) for at in following.values()}
        over = sum(at.is_over for at in following.values())
        found.append((len(following), len(alike), over))
        level = [at for at in following.values() if not at.is_over]
    return found


def _up_to_symmetry(
    at: DropPosition, images: Sequence[Callable[[Sequence[int]], bytes]]
) -> Hashable:
    """Return a key that is equal for positions that are the same up to symmetry."""
    if len(images) == 1:
        return at.key
    stones = list(at.start.stones)
    for drop in at.drops:
        stones[at.start.game.board.index[drop.vertex]] = drop.colour
    smallest = min(take(stones) for take in images)
    return smallest, at.start.to_move, at.start.status, len(at.drops)
