"""The properties of a game that a study needs, and the games that it measures.

The properties are its symmetries, and whether turns may be passes or pairs. Games are replayed from
their records, or made of random actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from oddly.engines import action_count, copy_state, has_kernel, new_state, warm
from oddly.engines.kernels.interface import random_walk, reward
from oddly.engines.kernels.numbers import generator
from oddly.games import (
    EMPTY,
    Action,
    Colour,
    Drop,
    DropPosition,
    Drops,
    Exchange,
    Game,
    Move,
    Pass,
    Position,
    Swap,
    Turn,
    settings_of,
)
from oddly.games.drop_level import actions_of, symmetries_of_position
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oddly.referee import GameRecord


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The image of each cell, by index, and whether stones change colour too, as in Odd."""

    to: tuple[int, ...]
    exchanges: bool


@cache
def symmetries_of(game: Game) -> tuple[Symmetry, ...]:
    """Return all symmetries, the identity first. The player to move stays the same."""
    kept = symmetries_of_position(game.start())
    exchanges = (False, True) if game.exchange is Exchange.STONES else (False,)
    return tuple(Symmetry(to, exchange) for exchange in exchanges for to in kept)


def image(game: Game, turn: Turn, symmetry: Symmetry) -> Turn:
    """Return the image of a turn under a symmetry."""
    board = game.board

    def moved(vertex: str) -> str:
        return board.vertices[symmetry.to[board.index[vertex]]]

    if isinstance(turn, Move):
        return Move(moved(turn.origin), moved(turn.destination))
    if isinstance(turn, Drops):
        drops = [
            Drop(drop.colour.other if symmetry.exchanges else drop.colour, moved(drop.vertex))
            for drop in turn.drops
        ]
        return Drops(tuple(drops))
    return turn


def orbit(game: Game, turn: Turn) -> set[Turn]:
    """Return all turns that equal `turn` up to symmetry, itself among them."""
    return {image(game, turn, symmetry) for symmetry in symmetries_of(game)}


def first_turn_kinds(game: Game) -> list[frozenset[Turn]]:
    """Return the legal first turns in sets that are the same up to symmetry."""
    found: dict[Turn, frozenset[Turn]] = {}
    for turn in game.start().legal_turns():
        if turn not in found:
            images = frozenset(orbit(game, turn))
            found |= dict.fromkeys(images, images)
    return list(dict.fromkeys(found.values()))


@cache
def stone_images(game: Game) -> tuple[Callable[[Sequence[int]], bytes], ...]:
    """Return, for each symmetry, a function from stones to their image as bytes."""
    return tuple(_taker(symmetry) for symmetry in symmetries_of(game))


def _taker(symmetry: Symmetry) -> Callable[[Sequence[int]], bytes]:
    # A permutation and its inverse are both in the group, so either will do.
    take = itemgetter(*symmetry.to)
    swapped = bytes((EMPTY, Colour.WHITE, Colour.BLACK))
    if symmetry.exchanges:
        return lambda stones: bytes(take(stones)).translate(swapped.ljust(256, b"\0"))
    return lambda stones: bytes(take(stones))


def has_passes(game: Game) -> bool:
    """Return whether a player may pass."""
    return Pass in game.turn_kinds


def has_pairs(game: Game) -> bool:
    """Return whether a turn may have two drops; in the games that we know, those with passes."""
    return Drops in game.turn_kinds and has_passes(game)


def has_swap(game: Game) -> bool:
    """Return whether the players may exchange colours, by the pie rule."""
    return Swap in game.turn_kinds


def short_title(game: Game) -> str:
    """Return a game's title on a page: `Yodd 8`, `Odd 5, threshold 8`, `Ayu 11, pie`."""
    words = [f"{game.title} {game.size}"]
    for name, value in game.settings.items():
        if name == "min_group":
            words.append(f"threshold {value}")
        elif value != settings_of(type(game))[name].default:
            words.append(name if value is True else str(value))
    return ", ".join(words)


def action_words(game: Game) -> str:
    """Return the kinds of actions of a game in words, such as `a drop or a pass`."""
    words = []
    if Drops in game.turn_kinds:
        words.append("a drop")
    if has_pairs(game):
        words.append("the end of a turn that could go on")
    if has_passes(game):
        words.append("a pass")
    if Move in game.turn_kinds:
        words.append("a move")
    if has_swap(game):
        words.append("a swap")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


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
"""The maximum number of actions in a random game; no game comes near it."""


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
        return [_random_game_by_rules(game, lot) for _ in range(number)]
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


def _random_game_by_rules(game: Game, random: Random) -> RandomGame:
    """Return a game of equally likely actions, a draw if it is not over after MAX_ACTIONS."""
    at, choices, turns = DropPosition(game.start()), list[int](), 0
    while not at.is_over and len(choices) < MAX_ACTIONS:
        actions = list(at.actions())
        choices.append(len(actions))
        at = at.act(random.choice(actions))
        turns += not at.drops
    winner = at.start.result.winner if at.start.result else None
    points = 0.5 if winner is None else float(winner is Colour.BLACK)
    return RandomGame(np.array(choices), turns, points)
