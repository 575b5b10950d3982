"""The games that are measured: replayed from their records, or of random actions."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines import action_count, copy_state, has_kernel, new_state, warm
from oddly.engines.kernels.interface import random_walk, reward
from oddly.engines.kernels.numbers import generator
from oddly.games import Colour, DropPosition
from oddly.games.drop_level import actions_of
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games import Action, Game, Position, Turn
    from oddly.referee import GameRecord


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """One game: the position before each turn, the turns, and the last position."""

    positions: tuple[Position, ...]
    turns: tuple[Turn, ...]
    last: Position

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.last.game

    def actions(self) -> list[list[Action]]:
        """Return the actions of each turn."""
        return [
            actions_of(position, turn)
            for position, turn in zip(self.positions, self.turns, strict=True)
        ]


def replayed(records: Iterable[GameRecord]) -> list[ReplayedGame]:
    """Return the games of records that the referee has judged."""
    return [_replayed(record) for record in records]


def _replayed(record: GameRecord) -> ReplayedGame:
    position, positions, turns = record.game.start(), [], []
    for played in record.turns:
        turn = parse_turn(played.turn)
        positions.append(position)
        turns.append(turn)
        position = position.play(turn)
    return ReplayedGame(tuple(positions), tuple(turns), position)


MAX_ACTIONS = 4096
"""The maximum of actions in a random game; no game comes near it."""


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


MAX_ACTIONS_BY_RULES = 4096
"""Actions after which a random game is abandoned as a draw."""


def random_walk_by_rules(game: Game, random: Random) -> tuple[list[int], int, float]:
    """Play equally likely actions; return the choices before each, the turns and Black's points."""
    at, choices, turns = DropPosition(game.start()), list[int](), 0
    while not at.is_over and len(choices) < MAX_ACTIONS_BY_RULES:
        actions = list(at.actions())
        choices.append(len(actions))
        at = at.act(random.choice(actions))
        turns += not at.drops
    winner = at.start.result.winner if at.start.result else None
    return choices, turns, 0.5 if winner is None else float(winner is Colour.BLACK)
