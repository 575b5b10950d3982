"""What the solver must know of a game besides its kernel, the symmetries of its board included.

A *lane* is one way of looking at the board: a symmetry of it, with the colours as they are or
exchanged. Every position has one code per lane, which each action changes by an exclusive or; the
lowest code of all lanes is the position's key, so that positions that are alike share it. Up to
31 cells a code is the position itself, two bits a cell, and no two positions share one. On larger
boards codes are random numbers of 64 bits (Zobrist, "A New Hashing Method with Application for
Game Playing", 1970).

Yodd, Xodd and Ayu treat the colours alike: exchanged together with the players, they give the same
game. A position is therefore seen from the mover's side, and one entry of the table stands for
Black to move and for White to move. Odd only counts groups: its stones may change colour while the
players stay.
"""

from __future__ import annotations

import itertools
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.interface import action_count, action_number
from oddly.games import EMPTY, END, PASS, Colour, Drop, Exchange, Move, Pass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games import Action, Board, Game


DROP_KIND, PASS_KIND, OTHER_KIND = range(3)
"""Kinds of actions, as far as they matter here."""

MAX_EXACT_CELLS = 31
MAX_SYMMETRIC_ACTIONS = 2500
"""Games with more actions are solved without symmetries: the tables would leave the caches."""


class Lanes(Enum):
    """Which lanes a search uses."""

    ALL = "every symmetry of the board, the colours as they are and exchanged"
    COLOURS = "the board as it is, the colours as they are and exchanged"
    NONE = "the position as it is"


class SolverPlan(NamedTuple):
    """What stays the same during all searches of a game.

    Lanes 0 to S - 1 are the board's symmetries (lane 0: none), lanes S to 2 S - 1 the same with
    the colours exchanged.
    """

    kind: np.ndarray
    """DROP_KIND and so on, shape (actions,), int8."""
    change: np.ndarray
    """What an action changes in each lane's code: shape (2 sides, actions, lanes), uint64."""
    image: np.ndarray
    """The action seen in each lane, shape (lanes, actions), int32."""
    origin: np.ndarray
    """The inverse of `image`: shape (lanes, actions), int32."""
    flags: np.ndarray
    """What tells side and turn apart in codes, shape (2 sides, 2 drops made), uint64."""
    rules: np.ndarray
    """Whether keys are taken over all lanes, with a flag for the side, or over those of the mover;
    the most drops in a turn; whether there are passes, and the pass's number; whether positions can
    repeat: (5,), int64."""


ALL_LANES, MAX_DROPS, HAS_PASSES, PASS_ACTION, CAN_REPEAT = range(5)
"""Indices of `SolverPlan.rules`."""


@lru_cache(maxsize=8)
def make_plan(game: Game, use: Lanes) -> SolverPlan:
    """Return the plan of `game` for searches in those lanes."""
    weights = _weights(len(game.board))
    lanes = _views(game, use)
    actions = {action_number(game, action): action for action in _actions(game)}
    numbers = np.array(list(actions))
    kind = np.zeros(action_count(game), dtype=np.int8)
    kind[numbers] = [_kind(action) for action in actions.values()]
    change = np.zeros((2, len(kind), len(lanes)), dtype=np.uint64)
    image = np.tile(np.arange(len(kind), dtype=np.int32), (len(lanes), 1))
    for lane, (view, exchanged) in enumerate(lanes):
        seen = [_seen(game, action, view, exchanged) for action in actions.values()]
        image[lane, numbers] = [action_number(game, action) for action in seen]
        for side in (0, 1):
            colour = side ^ exchanged
            change[side, numbers, lane] = [_change(game, a, colour, weights) for a in seen]
    origin = np.argsort(image, axis=1).astype(np.int32)
    all_lanes = game.exchange is Exchange.STONES or use is Lanes.NONE
    has_passes = Pass in game.turn_kinds
    most_drops = 2 if has_passes else 1
    pass_action = action_number(game, PASS) if has_passes else -1
    rules = (all_lanes, most_drops, has_passes, pass_action, game.can_repeat)
    side_flag = 1 << 63 if all_lanes else 0
    flags = np.array([[0, 1 << 62], [side_flag, side_flag | 1 << 62]], dtype=np.uint64)
    return SolverPlan(kind, change, image, origin, flags, np.array(rules, dtype=np.int64))


def codes_of(game: Game, use: Lanes, stones: Sequence[int]) -> np.ndarray:
    """Return the code of `stones` in each lane, shape (lanes,), uint64."""
    weights = _weights(len(game.board))
    lanes = _views(game, use)
    codes = np.zeros(len(lanes), dtype=np.uint64)
    for lane, (view, exchanged) in enumerate(lanes):
        for index, stone in enumerate(stones):
            if stone != EMPTY:
                codes[lane] ^= weights[(stone - 1) ^ exchanged, view[index]]
    return codes


def _views(game: Game, use: Lanes) -> list[tuple[Permutation, bool]]:
    """Return the symmetry of the board and whether the colours are exchanged, for each lane."""
    views = permutations(game.board)
    if use is not Lanes.ALL:
        views = views[:1]
    exchanges = (False,) if use is Lanes.NONE else (False, True)
    return [(view, exchanged) for exchanged in exchanges for view in views]


@lru_cache(maxsize=8)
def _weights(cells: int) -> np.ndarray:
    """Return a stone's part of a code: shape (2 colours, cells), uint64, all below 2**62."""
    if cells <= MAX_EXACT_CELLS:
        bits = [[1 << colour * cells + index for index in range(cells)] for colour in (0, 1)]
        return np.array(bits, dtype=np.uint64)
    return np.random.default_rng(cells).integers(1, 1 << 62, (2, cells), dtype=np.uint64)


def _actions(game: Game) -> Iterator[Action]:
    """Yield every action that a position of `game` may have."""
    vertices = game.board.vertices
    if Move in game.turn_kinds:
        yield from (Move(*ends) for ends in itertools.permutations(vertices, 2))
    else:
        yield from (Drop(colour, vertex) for vertex in vertices for colour in Colour)
    if Pass in game.turn_kinds:
        yield from (PASS, END)


def _kind(action: Action) -> int:
    if isinstance(action, Drop):
        return DROP_KIND
    return PASS_KIND if isinstance(action, Pass) else OTHER_KIND


def _seen(game: Game, action: Action, view: Sequence[int], exchanged: bool) -> Action:
    """`action` as it is seen on the board after a symmetry, the colours perhaps exchanged."""
    vertices, index = game.board.vertices, game.board.index
    if isinstance(action, Drop):
        colour = action.colour.other if exchanged else action.colour
        return Drop(colour, vertices[view[index[action.vertex]]])
    if isinstance(action, Move):
        origin, destination = view[index[action.origin]], view[index[action.destination]]
        return Move(vertices[origin], vertices[destination])
    return action


def _change(game: Game, action: Action, side: int, weights: np.ndarray) -> int:
    """Return what `action` of `side`'s player changes in a code."""
    index = game.board.index
    if isinstance(action, Drop):
        return int(weights[action.colour - Colour.BLACK, index[action.vertex]])
    if isinstance(action, Move):
        return int(weights[side, index[action.origin]] ^ weights[side, index[action.destination]])
    return 0


Permutation = tuple[int, ...]
"""For every index of a board the index that it goes to."""


def permutations(board: Board) -> tuple[Permutation, ...]:
    """Return every symmetry of `board`, the identity first."""
    turned, mirrored = (_hexhex if board.shape == "hexhex" else _square)(board)
    found = [tuple(range(len(board)))]
    for permutation in found:
        for generator in (turned, mirrored):
            image = tuple(generator[index] for index in permutation)
            if image not in found:
                found.append(image)
    return tuple(found)


def _hexhex(board: Board) -> tuple[Permutation, Permutation]:
    """Return a sixth of a turn and a reflection, in axial coordinates (q, r)."""
    base = board.size
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    axial = [(column - base, rank - base) for column, rank in board.coordinates]
    turned = tuple(at[-r + base, q + r + base] for q, r in axial)
    mirrored = tuple(at[r + base, q + base] for q, r in axial)
    return turned, mirrored


def _square(board: Board) -> tuple[Permutation, Permutation]:
    """Return a quarter of a turn and a reflection."""
    at = {cell: index for index, cell in enumerate(board.coordinates)}
    turned = tuple(at[board.size + 1 - rank, column] for column, rank in board.coordinates)
    mirrored = tuple(at[rank, column] for column, rank in board.coordinates)
    return turned, mirrored
