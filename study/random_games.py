"""Uniformly random games, action by action, by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engines.kernels.interface import action_count, copy_state, new_state, reward
from engines.kernels.randomness import generator
from engines.kernels.walk import random_walk
from engines.kernels.warm import warm

if TYPE_CHECKING:
    from games.game import Game

LONGEST = 4096
"""Actions after which a random game is given up; none comes near."""


@dataclass(frozen=True, slots=True)
class RandomGame:
    """The number of legal actions before each action, the number of turns, Black's points."""

    choices: np.ndarray
    turns: int
    points: float


def random_games(game: Game, number: int, seed: int) -> list[RandomGame]:
    """So many games in which every legal action is equally likely."""
    start, state = new_state(game), new_state(game)
    actions = np.zeros(action_count(game), np.int32)
    choices, sides = np.zeros(LONGEST, np.int32), np.zeros(LONGEST, np.int8)
    random = generator(seed)

    def play() -> RandomGame:
        copy_state(state, start)
        length = int(random_walk(state, random, actions, choices, sides))
        turns = int(np.count_nonzero(np.diff(sides[:length]))) + 1
        return RandomGame(choices[:length].copy(), turns, float(reward(state)))

    warm("walk", state, play)
    random[:] = generator(seed)
    return [play() for _ in range(number)]
