"""What a course teaches: a prior of actions, or a judge of positions.

Both learn from games of the search against itself, and change what the next games are like. A
judge's worths are fitted to how the games from some of their positions ended. The loss is the cross
entropy, in nats, between the judge's chance of a win for Black and who won.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple

import numpy as np

from oddly.engines.kernels import learnt
from oddly.engines.kernels.interface import is_over, reward
from oddly.engines.rave_engine import TRIED_SHARE, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import DropPosition, Game
from oddly.study.training.self_play import (
    BATCH,
    VARIETY,
    Collection,
    Examples,
    Losses,
    descend,
    fit,
    opening,
    play_game,
)

if TYPE_CHECKING:
    from oddly.engines.search.settings import Settings


class Endings(NamedTuple):
    """Positions and how their games ended, a row for each.

    `classes` and `amounts` have the class of each feature's worth and how often it counts for
    Black, shape (n, cells + 2), uint16 and int8. `fills` is the share of the board with stones,
    `won` tells whether Black won, `shown` whether the game is held out to measure a judge.
    """

    classes: np.ndarray
    amounts: np.ndarray
    fills: np.ndarray
    won: np.ndarray
    shown: np.ndarray


def play_out(searcher: Searcher, settings: Settings, simulations: int, seed: int) -> Endings:
    """Return the positions of a game, which `seed` decides, and how it ended."""
    random, board = Random(seed), searcher.game.board
    searcher.forget(random.randrange(1 << 30))
    searcher.load(DropPosition(opening(searcher.game, random, random.random())))
    classes, signs, _ = learnt.worth_classes(board.shape)
    root, rows = searcher.root, []
    while not is_over(root):
        finding = searcher.think(settings, simulations=simulations)
        features, amounts = learnt.features_seen(root, board)
        fill = np.count_nonzero(root.names) / len(board)
        rows.append((classes[features], signs[features] * amounts, fill))
        votes, action = searcher.votes(), finding.action
        visits = [vote.visits for vote in votes.values()]
        if random.random() < VARIETY and sum(visits) > 0:
            (action,) = random.choices(list(votes), visits)
        searcher.play(action)
    seen, counted, fills = (np.array(column) for column in zip(*rows, strict=True))
    is_shown = seed % HELD_BACK == HELD_BACK - 1
    won, shown = np.full(len(rows), reward(root) > 0), np.full(len(rows), is_shown)
    return Endings(seen, counted.astype(np.int8), fills, won, shown)


HELD_BACK = 10
"""One game in this many is held out."""

JUDGE_EPOCHS = 4
RIDGE = 2e-3
THIRDS = 3


def fit_judge(examples: Endings, worths: int, seed: int) -> tuple[np.ndarray, Losses]:
    """Return worths learnt from the examples, shape (2, `worths`), and their losses."""
    taught = np.flatnonzero(~examples.shown)
    start, step = np.zeros((2, worths)), partial(_gradient, examples)
    found = descend(step, start, taught, epochs=JUDGE_EPOCHS, ridge=RIDGE, seed=seed)
    return found.astype(np.float32), losses_of(examples, found, np.flatnonzero(examples.shown))


def losses_of(examples: Endings, worths: np.ndarray, shown: np.ndarray) -> Losses:
    """Return the loss on the positions with these numbers; it counts only who won."""
    if len(shown) == 0:
        return Losses(0.0, 0.0, (0.0,) * THIRDS)
    batches = [shown[first : first + BATCH] for first in range(0, len(shown), BATCH)]
    odds = np.concatenate([odds_of(examples, worths, batch) for batch in batches])
    sides = np.where(examples.won[shown], odds, -odds)
    nats = np.logaddexp(0, -sides)
    third = np.minimum((THIRDS * examples.fills[shown]).astype(int), THIRDS - 1)
    counts = np.maximum(np.bincount(third, minlength=THIRDS), 1)
    thirds = np.bincount(third, nats, THIRDS) / counts
    return Losses(math.log(2), float(nats.mean()), tuple(thirds.tolist()))


def odds_of(examples: Endings, worths: np.ndarray, batch: np.ndarray) -> np.ndarray:
    """Return the log-odds that Black wins positions with these numbers."""
    classes, amounts, fills = (column[batch] for column in examples[:3])
    early, late = ((worths[phase][classes] * amounts).sum(axis=1) for phase in range(2))
    return np.asarray((1 - fills) * early + fills * late)


def _gradient(examples: Endings, batch: np.ndarray, worths: np.ndarray) -> np.ndarray:
    chances = 1 / (1 + np.exp(-odds_of(examples, worths, batch)))
    errors = (chances - examples.won[batch]) / len(batch)
    classes, amounts, fills = (column[batch] for column in examples[:3])
    parts = [amounts * (errors * share)[:, None] for share in (1 - fills, fills)]
    count = worths.shape[1]
    return np.array([np.bincount(classes.ravel(), part.ravel(), count) for part in parts])


Player = tuple[Searcher, "Settings"]

MEGABYTES = 64
PRIOR_EPOCHS = 8


class Subject(ABC, Generic[Collection]):
    """What is taught for a game: the form and source of its examples, and who uses it."""

    name: ClassVar[str]
    collection: type[Collection]
    """The NamedTuple of arrays that holds examples."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    @abstractmethod
    def file(self) -> str:
        """The name of the file in which the weights ship."""

    @property
    @abstractmethod
    def class_count(self) -> int:
        """How many classes of features there are. Raises KeyError if the game has none."""

    @abstractmethod
    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search that goes by the weights, or by none."""

    @abstractmethod
    def play(self, player: Player, simulations: int, seed: int) -> Collection:
        """Return the examples of a game, which `seed` decides."""

    @abstractmethod
    def fit(self, examples: Collection, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the weights learnt from examples, and their loss on those held out.

        Raises KeyError if there is nothing to learn in the game.
        """


class PriorSubject(Subject[Examples]):
    """The prior, which says which actions are promising."""

    name = "prior"
    collection = Examples

    @property
    def file(self) -> str:
        """The name of the file in which the weights ship."""
        return learnt.weights_file(self.game)

    @property
    def class_count(self) -> int:
        """How many classes of features there are. Raises KeyError if the game has none."""
        return learnt.weight_count(self.game)

    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search that goes by the weights, or by none."""
        settings = replace(tuned_for(self.game, is_long=False), puct=0.0)
        if weights is None:
            settings = replace(settings, trust=0.0)
            return Searcher(self.game, megabytes=MEGABYTES, prior=learnt.NO_PRIOR), settings
        taught = learnt.new_prior(self.game, weights)
        return Searcher(self.game, megabytes=MEGABYTES, prior=taught), settings

    def play(self, player: Player, simulations: int, seed: int) -> Examples:
        """Return the examples of a game, which `seed` decides."""
        return play_game(*player, simulations, seed)

    def fit(self, examples: Examples, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the weights learnt from examples, and their loss on those held out."""
        return fit(examples, self.class_count, PRIOR_EPOCHS, seed)


class JudgeSubject(Subject[Endings]):
    """The judge, which says who is likely to win a position."""

    name = "judge"
    collection = Endings

    @property
    def file(self) -> str:
        """The name of the file in which the worths ship."""
        return learnt.worths_file(self.game)

    @property
    def class_count(self) -> int:
        """How many classes of features there are. Raises KeyError if the game has none."""
        return learnt.worth_count(self.game)

    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search with a judge of these worths, or without a judge."""
        settings = replace(tuned_for(self.game, is_long=False), trust=0.0, puct=0.0)
        if weights is None:
            return Searcher(self.game, megabytes=MEGABYTES, judge=learnt.NO_JUDGE), settings
        taught = learnt.new_judge(self.game, weights)
        settings = replace(settings, judge_share=TRIED_SHARE)
        return Searcher(self.game, megabytes=MEGABYTES, judge=taught), settings

    def play(self, player: Player, simulations: int, seed: int) -> Endings:
        """Return the positions of a game, which `seed` decides, and how it ended."""
        return play_out(*player, simulations, seed)

    def fit(self, examples: Endings, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the worths learnt from examples, and their loss on those held out."""
        return fit_judge(examples, self.class_count, seed)
