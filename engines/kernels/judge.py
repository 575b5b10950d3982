"""What is known of a position at a glance: a judge, learnt from games that `rave` played.

A game's kernel sees *features* of a position, numbers that do not depend on the size of the board
(`group_judge.py`), and the judge has a worth for each. Their sum is the log-odds that Black wins.
`oddly train --judge` learns the worths: see docs/how-to/train-an-engine.md. Ayu's judge stands in
its own kernel (`ayu_playout.py`), since its random games stop for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels import group_judge
from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.jit import by_state, compiled
from oddly.engines.kernels.odd_kernel import OddState
from oddly.engines.kernels.shipped import shipped
from oddly.games import Game, Xodd, Yodd

if TYPE_CHECKING:
    from types import ModuleType


KERNELS: dict[type[Game], ModuleType] = {Yodd: group_judge, Xodd: group_judge}
"""The kernel of each game with a judge that is learnt here."""

MAX_WORTH = 31.0
"""Log-odds beyond which a worth has no room."""


class Judge(NamedTuple):
    """Worths of features, int16, and what the features need of each point of the board, uint8.

    Both are empty where nothing was learnt.
    """

    worths: np.ndarray
    edges: np.ndarray


NO_JUDGE = Judge(np.zeros(0, np.int16), np.zeros(0, np.uint8))


def has_judge(game: Game) -> bool:
    """Return whether a judge can be learnt for `game`."""
    return type(game) in KERNELS


def judged_games() -> str:
    """Return the names of the games for which a judge can be learnt."""
    return ", ".join(game.name for game in KERNELS)


def class_count(game: Game) -> int:
    """Return how many worths there are to learn, each of two numbers. Raises KeyError if none."""
    return int(KERNELS[type(game)].worth_classes(game.board.shape)[2])


def new_judge(game: Game, worths: np.ndarray | None = None) -> Judge:
    """Return the judge with those worths, shape (2, classes), or with those that are shipped."""
    if worths is None:
        worths = shipped(worths_file(game))
    kernel = KERNELS.get(type(game))
    if worths is None or kernel is None:
        return NO_JUDGE
    classes, signs, _ = kernel.worth_classes(game.board.shape)
    bounded = np.clip(worths, -MAX_WORTH, MAX_WORTH)[:, classes] * signs
    numbers = np.round(kernel.UNIT * bounded).astype(np.int16)
    return Judge(np.ascontiguousarray(numbers.T).ravel(), kernel.edges_of(game.board))


def worths_file(game: Game) -> str:
    """Return the name of the file with the worths of a game."""
    return f"{game.name}_judge.npy"


@compiled
def _unjudged(state, worths, edges):  # type: ignore[no-untyped-def]
    return 0.0, 0.0


judged = by_state({GroupState: group_judge.judged, OddState: _unjudged, AyuState: _unjudged})
"""judged(state, worths, edges) -> the log-odds that Black wins, and the empty part of the board."""
