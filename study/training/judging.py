"""Positions from games that the search plays against itself, and worths fitted to how they ended.

The loss is the cross entropy, in nats, between the judge's chance of a win for Black and who won.
"""

from __future__ import annotations

import math
from functools import partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.group_judge import features_seen, worth_classes
from oddly.engines.kernels.interface import is_over, reward
from oddly.games import DropPosition
from oddly.study.training.adam import BATCH, descend
from oddly.study.training.self_play import VARIETY, Losses, opening

if TYPE_CHECKING:
    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Settings


class Endings(NamedTuple):
    """Positions and how their games ended, a row for each.

    `classes` and `amounts` have the class of each feature's worth and how often it counts for
    Black, shape (n, cells + 2), uint16 and int8. `fills` is the part of the board that has stones,
    `won` tells whether Black won, `shown` whether the game is held out, to
    show how good a judge is.
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
    classes, signs, _ = worth_classes(board.shape)
    root, rows = searcher.root, []
    while not is_over(root):
        finding = searcher.think(settings, simulations=simulations)
        features, amounts = features_seen(root, board)
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

EPOCHS = 4
RIDGE = 2e-3
THIRDS = 3


def fit_judge(examples: Endings, worths: int, seed: int) -> tuple[np.ndarray, Losses]:
    """Return this many worths, shape (2, worths), learnt from the examples, and their loss."""
    taught = np.flatnonzero(~examples.shown)
    start, step = np.zeros((2, worths)), partial(_gradient, examples)
    found = descend(step, start, taught, epochs=EPOCHS, ridge=RIDGE, seed=seed)
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
