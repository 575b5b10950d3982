"""The tables of the solver: what it knows of a game, what was proved, a stack of states.

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

An entry is two numbers of 64 bits, a key and what is known; four entries make a bucket of one
cache line. What is known, packed, from the lowest bit: 2 bits for the least value and 2 bits for
the greatest value of the position for its mover, 6 bits for the effort (the bit length of the
number of nodes that the proof took), the rest for one more than the mover's action that secures
the least value (0: none known).
"""

from __future__ import annotations

import itertools
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.engines.kernels.interface import action_count
from oddly.engines.kernels.jit import compiled
from oddly.games import EMPTY, END, PASS, Action, Colour, Drop, Exchange, Game, Move, Pass
from oddly.games.board import Permutation, permutations
from oddly.games.drop_level import seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
    actions = {game.action_number(action): action for action in _actions(game)}
    numbers = np.array(list(actions))
    kind = np.zeros(action_count(game), dtype=np.int8)
    kind[numbers] = [_kind(action) for action in actions.values()]
    change = np.zeros((2, len(kind), len(lanes)), dtype=np.uint64)
    image = np.tile(np.arange(len(kind), dtype=np.int32), (len(lanes), 1))
    for lane, (view, exchanged) in enumerate(lanes):
        images = [seen(game, action, view, exchanged) for action in actions.values()]
        image[lane, numbers] = [game.action_number(action) for action in images]
        for side in (0, 1):
            colour = side ^ exchanged
            change[side, numbers, lane] = [_change(game, a, colour, weights) for a in images]
    origin = np.argsort(image, axis=1).astype(np.int32)
    all_lanes = game.exchange is Exchange.STONES or use is Lanes.NONE
    has_passes = Pass in game.turn_kinds
    most_drops = 2 if has_passes else 1
    pass_action = game.action_number(PASS) if has_passes else -1
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


def _change(game: Game, action: Action, side: int, weights: np.ndarray) -> int:
    """Return what an `action` of `side` changes in a code."""
    index = game.board.index
    if isinstance(action, Drop):
        return int(weights[action.colour - Colour.BLACK, index[action.vertex]])
    if isinstance(action, Move):
        return int(weights[side, index[action.origin]] ^ weights[side, index[action.destination]])
    return 0


LOSS, DRAW, WIN = 0, 1, 2
"""Values of a position for its mover."""

UNKNOWN = LOSS | WIN << 2
"""What is known of a position that is in no entry."""

ENTRY_BYTES = 16
MAX_EFFORT = 63
_WAYS = 4
_BUCKET = 2 * _WAYS

_HALF = np.uint64(0xFFFFFFFF)
_FACTORS = (np.uint64(0x9E3779B1), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D))


def new_table(entries: int) -> np.ndarray:
    """Return an empty table, uint64, for at least `entries` of 16 bytes, a power of two."""
    size = 2 * _WAYS
    while size < 2 * entries:
        size *= 2
    # Buckets begin at multiples of a cache line.
    room = np.zeros(size + _BUCKET, dtype=np.uint64)
    start = (-room.ctypes.data // 8) % _BUCKET
    return room[start : start + size]


@compiled
def mixed(code):  # type: ignore[no-untyped-def]
    """Return a one-to-one hash of a uint64: three rounds of a Feistel network on its halves."""
    high, low = code >> np.uint64(32), code & _HALF
    high ^= (low * _FACTORS[0]) >> np.uint64(32)
    low ^= (high * _FACTORS[1]) >> np.uint64(32)
    high ^= (low * _FACTORS[2]) >> np.uint64(32)
    return high << np.uint64(32) | low


@compiled
def look_up(table, key):  # type: ignore[no-untyped-def]
    """Return what is known of the position with `key`, packed (int64)."""
    first = np.int64(key & np.uint64(len(table) // _BUCKET - 1)) * _BUCKET
    for slot in range(first, first + _BUCKET, 2):
        if table[slot] == key and table[slot + 1] != np.uint64(0):
            return np.int64(table[slot + 1])
    return np.int64(UNKNOWN)


@compiled
def store(table, key, least, greatest, nodes, action):  # type: ignore[no-untyped-def]
    """Add what a search has proved to what is known; the cheapest entry of a bucket gives way."""
    first = np.int64(key & np.uint64(len(table) // _BUCKET - 1)) * _BUCKET
    effort = _effort(nodes)
    place: Any = first
    cheapest: Any = MAX_EFFORT + 1
    for slot in range(first, first + _BUCKET, 2):
        known = np.int64(table[slot + 1])
        if known != 0 and table[slot] == key:
            if known & 3 > least or action < 0:
                action = (known >> 10) - 1
            least, greatest = max(least, known & 3), min(greatest, known >> 2 & 3)
            effort = max(effort, known >> 4 & MAX_EFFORT)
            place = slot
            break
        if known >> 4 & MAX_EFFORT < cheapest:
            place = slot
            cheapest = known >> 4 & MAX_EFFORT
    table[place] = key
    table[place + 1] = np.uint64(least | greatest << 2 | effort << 4 | (action + 1) << 10)


@compiled
def _effort(nodes):  # type: ignore[no-untyped-def]
    """Return the bit length of a number of nodes, at most MAX_EFFORT."""
    effort = 1
    while nodes > 1 and effort < MAX_EFFORT:
        nodes >>= 1
        effort += 1
    return effort
