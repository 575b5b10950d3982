"""Which actions of Yodd and Xodd are promising, by a small convolution: the policy network.

It looks at a whole position, where the prior (`learnt.py`) sees each drop alone. One look costs as
much as some thirty random games, so a search asks only about positions that it revisits often
(`search/selection.py`). The weights fit one board each; `tools/network` learns them.

Each cell has CHANNELS numbers, which a layer computes from those of the cell and its neighbours on
the board (on a square board the diagonal ones too). The first layer sees PLANES facts of each cell:
a stone of the player to move, one of the opponent, or neither and how many groups of either colour
touch the cell (at least one, two, three). FACTS describe the whole position: the drop of the turn,
the lead in groups, and how full the board is. A *summary* is the average and the greatest number of
each channel, and the facts.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.group_rules import (
    AREA,
    BLACK,
    CELLS,
    DROPS,
    EMPTIES,
    SIDE,
    WHITE,
    tables,
    touched,
)
from oddly.engines.kernels.jit import by_state, compiled, unaliased
from oddly.engines.kernels.odd_kernel import OddState

if TYPE_CHECKING:
    from oddly.games import Board, Game

U = np.uint64
ZERO, ONE = np.float32(0), np.float32(1)

CHANNELS = 24
PLANES, FACTS = 9, 6
OWN, OTHER, EMPTY, OWN_TOUCHED, OTHER_TOUCHED = 0, 1, 2, 3, 6
"""Planes: stones, empty cells, and three each for the groups that touch an empty cell."""
SUMMARY = 2 * CHANNELS + FACTS
SUMMARIZED_LAYER = 1
"""The layer, counted from 0 after the first, that also sees the summary of what came before."""
LEAD_UNIT = np.float32(0.25)
MAX_TOUCHED = 3

IS_STONE, IS_EMPTY = 1, 2
"""Codes of cells; an empty one has the touching groups of either colour in the bits above."""


class Network(NamedTuple):
    """Weights, float32, and room for work; without layers where nothing was learnt.

    A layer's weights have the shape (steps, channels before, channels after); `steps` has the way
    to each cell that a layer sees from a point. The arrays from `codes` on are for one thread.
    """

    first: np.ndarray
    first_bias: np.ndarray
    facts: np.ndarray
    layers: np.ndarray
    layer_biases: np.ndarray
    pooling: np.ndarray
    pooling_bias: np.ndarray
    drops: np.ndarray
    drops_bias: np.ndarray
    others: np.ndarray
    others_bias: np.ndarray
    steps: np.ndarray
    codes: np.ndarray
    one: np.ndarray
    two: np.ndarray
    sums: np.ndarray
    summary: np.ndarray


WEIGHTS = Network._fields[: Network._fields.index("steps")]


def shapes(steps: int, layers: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each of the WEIGHTS."""
    return {
        "first": (steps, PLANES, CHANNELS),
        "first_bias": (CHANNELS,),
        "facts": (FACTS, CHANNELS),
        "layers": (layers, steps, CHANNELS, CHANNELS),
        "layer_biases": (layers, CHANNELS),
        "pooling": (2 * CHANNELS, CHANNELS),
        "pooling_bias": (CHANNELS,),
        "drops": (CHANNELS, 2),
        "drops_bias": (2,),
        "others": (SUMMARY, 2),
        "others_bias": (2,),
    }


def steps_on(board: Board) -> np.ndarray:
    """Return the steps from a point to what a layer sees, row by row from below, shape (steps,)."""
    stride = tables(board).stride
    return np.array([column + stride * row for row, column in ways_on(board)], np.int64)


def ways_on(board: Board) -> list[tuple[int, int]]:
    """Return the rows and columns of those steps."""
    unseen = () if board.shape == "square" else ((-1, -1), (1, 1))
    around = ((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1))
    return [way for way in around if way not in unseen]


def network_file(game: Game) -> str:
    """Return the name of the file with the weights of a game on its board."""
    return f"{game.name}_{game.board.size}_network.npz"


def new_network(game: Game, weights: dict[str, np.ndarray] | None = None) -> Network:
    """Return the network with those weights, or with those that are shipped for the board."""
    if weights is None:
        weights = shipped_arrays(network_file(game))
    if not weights:
        return NO_NETWORK
    return _with_room(weights, steps_on(game.board), tables(game.board).area)


@cache
def shipped_arrays(name: str) -> dict[str, np.ndarray]:
    """Return the arrays of that `.npz` beside this file by their names; none if it is missing."""
    file = files(__package__).joinpath(name)
    if not file.is_file():
        return {}
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def own_room(network: Network) -> Network:
    """Return the same network with room for work of its own."""
    room = {name: getattr(network, name).copy() for name in Network._fields[-5:]}
    return network._replace(**room)


def _with_room(weights: dict[str, np.ndarray], steps: np.ndarray, area: int) -> Network:
    return Network(
        **{name: np.ascontiguousarray(weights[name], np.float32) for name in WEIGHTS},
        steps=steps,
        codes=np.zeros(area, np.uint8),
        one=np.zeros((area, CHANNELS), np.float32),
        two=np.zeros((area, CHANNELS), np.float32),
        sums=np.zeros(CHANNELS, np.float32),
        summary=np.zeros(SUMMARY, np.float32),
    )


NO_NETWORK = _with_room(
    {name: np.zeros(shape, np.float32) for name, shape in shapes(0, 0).items()},
    np.zeros(0, np.int64),
    0,
)


@compiled
def _evaluate_groups(state, network, actions, first, count, shares):  # type: ignore[no-untyped-def]
    cells, side = state.sizes[CELLS], state.numbers[SIDE]
    _encode(state, network.codes, side)
    moment = _summarize_facts(state, network.summary)
    _first_layer(state, network, side, moment)
    x, y = network.one, network.two
    for number in range(len(network.layers)):
        for channel in range(CHANNELS):
            network.sums[channel] = network.layer_biases[number, channel]
        if number == SUMMARIZED_LAYER:
            _summarize(x, state.points, U(cells), network.summary)
            for channel in range(CHANNELS):
                network.sums[channel] += network.pooling_bias[channel]
            _add_products(network.sums, network.summary, network.pooling)
        _layer(x, y, network.layers[number], network.sums, state.points, U(cells), network.steps)
        x, y = y, x
    _summarize(x, state.points, U(cells), network.summary)
    best = np.float32(-np.inf)
    for place in range(count):
        action = np.int64(actions[first + place])
        shares[place] = _score(state, network, x, action, side)
        best = max(best, shares[place])
    total = ZERO
    for place in range(count):
        shares[place] = np.exp(shares[place] - best)
        total += shares[place]
    for place in range(count):
        shares[place] /= total


@compiled
def _encode(state, codes, side):  # type: ignore[no-untyped-def]
    """Write the code of each cell."""
    for index in range(U(state.sizes[CELLS])):
        codes[U(state.points[index])] = IS_STONE
    for slot in range(U(state.numbers[EMPTIES])):
        point = U(state.empty[slot])
        own = min(touched(state, point, side), MAX_TOUCHED)
        other = min(touched(state, point, 1 - side), MAX_TOUCHED)
        codes[point] = IS_EMPTY | own << 2 | other << 4


@compiled
def _summarize_facts(state, summary):  # type: ignore[no-untyped-def]
    """Write the facts; return 0 before a first drop, 1 if a second one must follow, 2 if it may."""
    numbers, cells = state.numbers, state.sizes[CELLS]
    groups = numbers[BLACK] + numbers[WHITE]
    moment = 0 if numbers[DROPS] == 0 else 1 + (groups & 1)
    ahead = numbers[WHITE] - numbers[BLACK]
    lead = np.float32(ahead if numbers[SIDE] == 0 else -ahead) * LEAD_UNIT
    fill = np.float32(cells - numbers[EMPTIES]) / np.float32(cells)
    facts = 2 * CHANNELS
    for place in range(3):
        summary[facts + place] = ONE if place == moment else ZERO
    summary[facts + 3], summary[facts + 4], summary[facts + 5] = lead, fill, lead * fill
    return moment


@compiled
def _first_layer(state, network, side, moment):  # type: ignore[no-untyped-def]
    """Write the first layer's numbers for all cells to `one`."""
    base, sums, facts = network.summary, network.sums, network.facts
    lead, fill, both = base[2 * CHANNELS + 3], base[2 * CHANNELS + 4], base[2 * CHANNELS + 5]
    for channel in range(CHANNELS):
        base[channel] = network.first_bias[channel] + facts[moment, channel]
        base[channel] += lead * facts[3, channel] + fill * facts[4, channel]
        base[channel] += both * facts[5, channel]
    mine = U(side * state.sizes[AREA])
    for index in range(U(state.sizes[CELLS])):
        point = np.int64(state.points[index])
        for channel in range(CHANNELS):
            sums[channel] = base[channel]
        for number in range(len(network.steps)):
            seen = U(point + network.steps[number])
            code = np.int64(network.codes[seen])
            weights = network.first[number]
            if code == IS_STONE:
                # The point to the east has a bit for a stone of one's own to its west.
                is_own = (state.ring[mine + seen + U(1)] >> 4) & 1
                _add(sums, weights, OWN if is_own else OTHER)
            elif code != 0:
                _add(sums, weights, EMPTY)
                for groups in range(code >> 2 & 3):
                    _add(sums, weights, OWN_TOUCHED + groups)
                for groups in range(code >> 4 & 3):
                    _add(sums, weights, OTHER_TOUCHED + groups)
        for channel in range(CHANNELS):
            network.one[point, channel] = max(sums[channel], ZERO)


@unaliased
def _add(sums, weights, plane):  # type: ignore[no-untyped-def]
    for channel in range(U(CHANNELS)):
        sums[channel] += weights[U(plane), channel]


@unaliased
def _layer(x, y, weights, bias, points, cells, steps):  # type: ignore[no-untyped-def]
    """Write to `y` the sum of `x` and a layer's output, or 0 where that is negative."""
    for index in range(cells):
        point = U(points[index])
        for channel in range(U(CHANNELS)):
            y[point, channel] = x[point, channel] + bias[channel]
        for number in range(U(len(steps))):
            seen = U(np.int64(point) + steps[number])
            # Four channels at a time: many cells have zeros in all of them.
            for a in range(U(0), U(CHANNELS), U(4)):
                b, c, d = a + U(1), a + U(2), a + U(3)
                at_a, at_b, at_c, at_d = x[seen, a], x[seen, b], x[seen, c], x[seen, d]
                if at_a != ZERO or at_b != ZERO or at_c != ZERO or at_d != ZERO:
                    for channel in range(U(CHANNELS)):
                        y[point, channel] += (
                            at_a * weights[number, a, channel] + at_b * weights[number, b, channel]
                        ) + (
                            at_c * weights[number, c, channel] + at_d * weights[number, d, channel]
                        )
        for channel in range(U(CHANNELS)):
            y[point, channel] = max(y[point, channel], ZERO)


@unaliased
def _summarize(x, points, cells, summary):  # type: ignore[no-untyped-def]
    """Write the average and the greatest number of each channel."""
    for channel in range(U(2 * CHANNELS)):
        summary[channel] = ZERO
    for index in range(cells):
        point = U(points[index])
        for channel in range(U(CHANNELS)):
            number = x[point, channel]
            summary[channel] += number
            greatest = U(CHANNELS) + channel
            summary[greatest] = max(summary[greatest], number)
    for channel in range(U(CHANNELS)):
        summary[channel] /= np.float32(cells)


@unaliased
def _add_products(sums, factors, weights):  # type: ignore[no-untyped-def]
    for row in range(U(len(weights))):
        for channel in range(U(CHANNELS)):
            sums[channel] += factors[row] * weights[row, channel]


@compiled
def _score(state, network, x, action, side):  # type: ignore[no-untyped-def]
    """Return the score of an action; the softmax turns scores into shares."""
    other = action - 2 * state.sizes[CELLS]
    if other >= 0:
        score = network.others_bias[other]
        for place in range(SUMMARY):
            score += network.summary[place] * network.others[place, other]
        return score
    point, colour = U(state.points[action >> 1]), U((action & 1) ^ side)
    score = network.drops_bias[colour]
    for channel in range(U(CHANNELS)):
        score += x[point, channel] * network.drops[channel, colour]
    return score


@compiled
def _know_nothing(state, network, actions, first, count, shares):  # type: ignore[no-untyped-def]
    for place in range(count):
        shares[place] = ONE / np.float32(count)


evaluate = by_state(
    {GroupState: _evaluate_groups, OddState: _know_nothing, AyuState: _know_nothing}
)
"""evaluate(state, network, actions, first, count, shares): look at a position.

Writes to `shares` how often a search would try each of the `count` actions that lie in `actions`
from place `first` on, 0 to 1 each and 1 in all.
"""
