"""Random games by the kernel, if there is one, in which every legal action is equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines.kernels.available import has_kernel
from oddly.engines.kernels.interface import action_count, copy_state, new_state, random_walk, reward
from oddly.engines.kernels.numbers import generator
from oddly.engines.kernels.warm import warm
from oddly.study.plain_counting import random_walk as random_walk_by_rules

if TYPE_CHECKING:
    from oddly.games.game import Game

MAX_ACTIONS = 4096
"""The most actions of a random game; none comes near."""


@dataclass(frozen=True, slots=True)
class RandomGame:
    """One random game: the legal actions before each action, the turns, and Black's points."""

    choices: np.ndarray
    turns: int
    points: float


def random_games(game: Game, number: int, seed: int) -> list[RandomGame]:
    """Return `number` random games."""
    if not has_kernel(game):
        lot = Random(seed)
        walks = (random_walk_by_rules(game, lot) for _ in range(number))
        return [RandomGame(np.array(choices), turns, points) for choices, turns, points in walks]
    start, state = new_state(game), new_state(game)
    actions = np.zeros(action_count(game), np.int32)
    choices, sides = np.zeros(MAX_ACTIONS, np.int32), np.zeros(MAX_ACTIONS, np.int8)
    random = generator(seed)

    def play() -> RandomGame:
        copy_state(state, start)
        length = int(random_walk(state, random, actions, choices, sides))
        turns = int(np.count_nonzero(np.diff(sides[:length]))) + 1
        return RandomGame(choices[:length].copy(), turns, float(reward(state)))

    warm("walk", state, play)
    random[:] = generator(seed)
    return [play() for _ in range(number)]
