"""What was learnt from games that `rave` played: a prior of actions, and a judge of positions.

A prior is what is known of an action before it is tried. A game's kernel gives the *features* of
each action, numbers that do not depend on the size of the board (`group_features.py`,
`odd_features.py`); the prior has a weight for each, and the sum of an action's weights is its
*score*. The softmax of the scores is how often a search would try each action.

A judge says at a glance who is likely to win. It sees features of a position of Yodd or Xodd, which
do not depend on the size of the board either, and has a worth for each. Their sum is the log-odds
that Black wins. Ayu's judge stands in its own kernel (`ayu_playout.py`), since its random games
stop for it.

The *view* from a cell is whether it is empty, black or white, and the stones on the eight points
around it (`group_rules.py`); a point off the board counts as both colours. Views that are turned or
reflected images of each other have one worth, and exchanged colours have the opposite. The *traits*
of a position have worths too: the lead in groups, and who is to move, as first or second drop and
with an odd or even number of groups. Every worth is two numbers, for an empty board and for a full
one, interpolated by how full the board is.

`oddly train` learns the weights, and with `--judge` the worths: see docs/how-to/train-an-engine.md.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels import group_features, odd_features
from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.group_rules import (
    AREA,
    BLACK,
    CELLS,
    DROPS,
    EMPTIES,
    MASKS,
    SIDE,
    WHITE,
    tables,
)
from oddly.engines.kernels.jit import by_state, compiled
from oddly.engines.kernels.odd_kernel import OddState
from oddly.games import Game, Odd, Xodd, Yodd

if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from oddly.games import Board, Shape


FEATURE_MODULES: dict[type[Game], ModuleType] = {
    Yodd: group_features,
    Xodd: group_features,
    Odd: odd_features,
}
"""Where the features of actions are, for each game in which there can be a prior."""

FEATURES_AN_ACTION = 3

JUDGED: tuple[type[Game], ...] = (Yodd, Xodd)
"""The games with a judge that is learnt here."""

CONTENTS = 3
"""A cell is empty, black or white."""
VIEWS = CONTENTS * MASKS * MASKS
LEAD = VIEWS
TEMPO = LEAD + 1
MOMENTS = 3
JUDGED_FEATURES = TEMPO + MOMENTS
"""Where the numbers of the traits begin, after those of the views, and how many features exist."""

WEST = 4
"""The bit in a point's mask for the point before it."""

UNIT = 1024
"""A log-odds of 1 as a whole number: sums of whole numbers are the same in every order."""
MAX_WORTH = 31.0
"""Log-odds beyond which a worth has no room."""

U = np.uint64


class Prior(NamedTuple):
    """Weights of features, float32, and what the features need of each point of the board.

    Both are empty where nothing was learnt.
    """

    weights: np.ndarray
    places: np.ndarray


NO_PRIOR = Prior(np.zeros(0, np.float32), np.zeros(0, np.uint16))


def can_learn(game: Game) -> bool:
    """Return whether there can be a prior for `game`."""
    return type(game) in FEATURE_MODULES


def learners() -> str:
    """Return the names of the games for which there can be a prior."""
    return ", ".join(game.name for game in FEATURE_MODULES)


def weight_count(game: Game) -> int:
    """Return how many weights there are to learn. Raises KeyError if the game can have no prior."""
    return int(FEATURE_MODULES[type(game)].classes_of(game.board.shape)[1])


def classes_of(game: Game) -> np.ndarray:
    """Return the weight of each feature, by its place. Raises KeyError as `weight_count` does."""
    classes: np.ndarray = FEATURE_MODULES[type(game)].classes_of(game.board.shape)[0]
    return classes


def places_of(game: Game) -> np.ndarray:
    """Return what features need of each point. Raises KeyError as `weight_count` does."""
    places: np.ndarray = FEATURE_MODULES[type(game)].places_of(game.board)
    return places


def new_prior(game: Game, weights: np.ndarray | None = None) -> Prior:
    """Return the prior with those weights, or with those that are shipped for the game, if any."""
    if weights is None:
        weights = shipped_weights(game)
    kernel = FEATURE_MODULES.get(type(game))
    if weights is None or kernel is None:
        return NO_PRIOR
    classes, _ = kernel.classes_of(game.board.shape)
    return Prior(weights.astype(np.float32)[classes], kernel.places_of(game.board))


def shipped_weights(game: Game) -> np.ndarray | None:
    """Return the weights that were learnt for a game; None if there are none."""
    return shipped(weights_file(game))


@cache
def shipped(name: str) -> np.ndarray | None:
    """Return the array of that `.npy` beside this file; None if there is no such file."""
    file = files(__package__).joinpath(name)
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        learnt: np.ndarray = np.load(stream, allow_pickle=False)
    return learnt


def weights_file(game: Game) -> str:
    """Return the name of the file with the weights of a game."""
    return f"{game.name}_prior.npy"


@compiled
def _no_situation(state, places):  # type: ignore[no-untyped-def]
    return 0, 0


@compiled
def _no_features(state, places, situation, phase, action):  # type: ignore[no-untyped-def]
    return 0, 0, 0


_situation_of = by_state(
    {
        GroupState: group_features.situation_of,
        OddState: odd_features.situation_of,
        AyuState: _no_situation,
    }
)
_features_of = by_state(
    {
        GroupState: group_features.features_of,
        OddState: odd_features.features_of,
        AyuState: _no_features,
    }
)


@compiled
def score(state, prior, actions, first, count, scores):  # type: ignore[no-untyped-def]
    """Write the scores of `count` actions, which lie in `actions` from place `first` on."""
    weights = prior.weights
    situation, phase = _situation_of(state, prior.places)
    for place in range(count):
        one, two, three = _features_of(
            state, prior.places, situation, phase, np.int64(actions[first + place])
        )
        scores[place] = weights[one] + weights[two] + weights[three]


@compiled
def describe(state, prior, actions, count, features):  # type: ignore[no-untyped-def]
    """Write the features of `count` actions to `features`, shape (count, FEATURES_AN_ACTION)."""
    situation, phase = _situation_of(state, prior.places)
    for place in range(count):
        one, two, three = _features_of(
            state, prior.places, situation, phase, np.int64(actions[place])
        )
        features[place, 0], features[place, 1], features[place, 2] = one, two, three


class Judge(NamedTuple):
    """Worths of features, int16, and what the features need of each point of the board, uint8.

    Both are empty where nothing was learnt.
    """

    worths: np.ndarray
    edges: np.ndarray


NO_JUDGE = Judge(np.zeros(0, np.int16), np.zeros(0, np.uint8))


def has_judge(game: Game) -> bool:
    """Return whether a judge can be learnt for `game`."""
    return type(game) in JUDGED


def judged_games() -> str:
    """Return the names of the games for which a judge can be learnt."""
    return ", ".join(game.name for game in JUDGED)


def worth_count(game: Game) -> int:
    """Return how many worths there are to learn, each of two numbers. Raises KeyError if none."""
    if not has_judge(game):
        raise KeyError(game.name)
    return worth_classes(game.board.shape)[2]


def new_judge(game: Game, worths: np.ndarray | None = None) -> Judge:
    """Return the judge with those worths, shape (2, classes), or with those that are shipped."""
    if worths is None:
        worths = shipped(worths_file(game))
    if worths is None or not has_judge(game):
        return NO_JUDGE
    classes, signs, _ = worth_classes(game.board.shape)
    bounded = np.clip(worths, -MAX_WORTH, MAX_WORTH)[:, classes] * signs
    numbers = np.round(UNIT * bounded).astype(np.int16)
    return Judge(np.ascontiguousarray(numbers.T).ravel(), edges_of(game.board))


def worths_file(game: Game) -> str:
    """Return the name of the file with the worths of a game."""
    return f"{game.name}_judge.npy"


@cache
def worth_classes(shape: Shape) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the class and the sign of each feature, and how many classes there are.

    The sign is -1 where the worth of the class holds for the exchanged colours, and 0 for a view
    that is its own image in exchanged colours.
    """
    patterns, kinds = group_features.pattern_classes(shape)
    one, other = np.divmod(np.arange(MASKS * MASKS), MASKS)
    exchanged = patterns[other * MASKS + one]
    views = np.concatenate([patterns + content * kinds for content in (0, 1, 2)])
    images = np.concatenate([exchanged + content * kinds for content in (0, 2, 1)])
    _, classes = np.unique(np.minimum(views, images), return_inverse=True)
    count = int(classes.max()) + 1
    traits = np.arange(JUDGED_FEATURES - VIEWS)
    signs = np.concatenate([np.sign(images - views), np.ones(len(traits), np.int64)])
    classes = np.concatenate([classes, count + traits])
    return classes.astype(np.uint16), signs.astype(np.int8), count + len(traits)


def edges_of(board: Board) -> np.ndarray:
    """Return for each point which of those around it are off the board: shape (area,), uint8."""
    return (group_features.places_of(board) & (MASKS - 1)).astype(np.uint8)


def features_seen(state: Any, board: Board) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of a position and how often each counts: both of shape (cells + 2,).

    The view from each cell counts once, the lead by its size, the tempo for who is to move.
    """
    table, numbers = tables(board), state.numbers
    points, area = table.points.astype(np.int64), table.area
    ring, edges = state.ring.astype(np.int64), edges_of(board)[points]
    black_there, white_there = (ring[first + points + 1] >> WEST & 1 for first in (0, area))
    black, white = (ring[first + points] | edges for first in (0, area))
    views = ((black_there + 2 * white_there) * MASKS + black) * MASKS + white
    lead, side = numbers[WHITE] - numbers[BLACK], 1 - 2 * numbers[SIDE]
    amounts = np.concatenate([np.ones(len(points), np.int64), [lead, side]])
    return np.concatenate([views, [LEAD, TEMPO + int(moment(state))]]), amounts


@compiled
def moment(state):  # type: ignore[no-untyped-def]
    """Return 0 before the first drop of a turn, else 1 or 2 for an even or odd number of groups."""
    numbers = state.numbers
    parity = (numbers[BLACK] + numbers[WHITE]) & 1
    return 0 if numbers[DROPS] == 0 else 1 + parity


@compiled
def _judged_by_cells(state, worths, edges):  # type: ignore[no-untyped-def]
    """Return the log-odds that Black wins, and the part of the board that is empty.

    `worths` has two whole numbers for each feature, in 1/UNIT log-odds: int16, shape
    (2 * JUDGED_FEATURES,).
    """
    ring, points, numbers = state.ring, state.points, state.numbers
    area, cells = U(state.sizes[AREA]), U(state.sizes[CELLS])
    early, late = np.int64(0), np.int64(0)
    for cell in range(cells):
        point = U(points[cell])
        beside, off = point + U(1), U(edges[point])
        black_there = (U(ring[beside]) >> U(WEST)) & U(1)
        white_there = (U(ring[area + beside]) >> U(WEST)) & U(1)
        around = ((U(ring[point]) | off) << U(8)) | U(ring[area + point]) | off
        view = U(2) * (((black_there + U(2) * white_there) << U(16)) | around)
        early += np.int64(worths[view])
        late += np.int64(worths[view + U(1)])
    lead = numbers[WHITE] - numbers[BLACK]
    early += lead * np.int64(worths[2 * LEAD])
    late += lead * np.int64(worths[2 * LEAD + 1])
    tempo = 2 * (TEMPO + moment(state))
    sign = 1 - 2 * numbers[SIDE]
    early += sign * np.int64(worths[tempo])
    late += sign * np.int64(worths[tempo + 1])
    empties = np.float64(numbers[EMPTIES]) / np.float64(state.sizes[CELLS])
    return (empties * early + (1.0 - empties) * late) / UNIT, empties


@compiled
def _unjudged(state, worths, edges):  # type: ignore[no-untyped-def]
    return 0.0, 0.0


judged = by_state({GroupState: _judged_by_cells, OddState: _unjudged, AyuState: _unjudged})
"""judged(state, worths, edges) -> the log-odds that Black wins, and the empty part of the board."""
