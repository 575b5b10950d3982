"""The kernel of Yodd and Xodd.

Only the parity of the groups decides what is legal, and a drop changes the number of groups by
one less the groups of its colour that it touches. So everything turns on counting those, fast:

- `ring[colour * area + point]` has a bit for each of the eight points around `point` that holds a
  stone of `colour`. A drop changes one bit around each of its neighbours.
- `runs` tells from those bits how many runs of stones surround the point, each connected there
  and then, with one stone of each. Up to one run, the groups touched are as many.
- Two runs or more may be one group that closes elsewhere on the board: `names` holds the name of
  the group on each point, 0 where it is empty, and a merge renames one group all over the board.
  That is a loop without branches, which compiles to a few vector instructions.

Indices are unsigned on purpose: with signed ones Numba tests each for being negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.group_board import tables
from oddly.engines.kernels.group_playout import playout, rollout
from oddly.engines.kernels.group_rules import (
    DROPS,
    EMPTIES,
    NEXT_NAME,
    PASSES,
    SIDE,
    copy_state,
    is_over,
    legal_actions,
    play_action,
    play_through,
    position_hash,
    promising_actions,
    reward,
    side_to_move,
    survey,
)
from oddly.games import EMPTY, END, PASS, Colour, Drop, End, Pass

if TYPE_CHECKING:
    from oddly.games import Action, DropPosition, Game

__all__ = [
    "GroupState",
    "action_count",
    "action_number",
    "action_of",
    "copy_state",
    "is_over",
    "legal_actions",
    "load",
    "new_state",
    "play_action",
    "play_through",
    "playout",
    "position_hash",
    "promising_actions",
    "reward",
    "rollout",
    "side_to_move",
    "survey",
]


class GroupState(NamedTuple):
    """A position of Yodd or Xodd, with room for the work on it.

    `empty` lists the empty points, `slot` says where in the list each is. `numbers` and `sizes`
    are named in `group_rules.py`; `runs`, `keys` and `sizes` belong to the board. `saved` and
    `changing` are scratch.
    """

    ring: np.ndarray
    names: np.ndarray
    empty: np.ndarray
    slot: np.ndarray
    numbers: np.ndarray
    stones_hash: np.ndarray
    saved: np.ndarray
    changing: np.ndarray
    runs: np.ndarray
    keys: np.ndarray
    sizes: np.ndarray


def new_state(game: Game) -> GroupState:
    """Return the starting position."""
    board = game.board
    table = tables(board)
    name_type = np.uint8 if len(board) < np.iinfo(np.uint8).max else np.uint16
    is_square = int(board.shape == "square")
    state = GroupState(
        ring=np.zeros(2 * table.area, np.uint8),
        names=np.zeros(table.area, name_type),
        empty=np.zeros(len(board) + 1, np.int16),
        slot=np.zeros(table.area, np.int16),
        numbers=np.zeros(7, np.int64),
        stones_hash=np.zeros(1, np.uint64),
        saved=np.zeros(table.area, name_type),
        changing=np.zeros(len(board) + 1, np.int16),
        runs=table.runs,
        keys=table.keys,
        sizes=np.array([table.area, table.stride, is_square, len(board)], np.int64),
    )
    _clear(state, table.points)
    return state


def _clear(state: GroupState, points: np.ndarray) -> None:
    for array in (state.ring, state.names, state.numbers, state.stones_hash):
        array[:] = 0
    state.empty[: len(points)] = points
    state.slot[points] = np.arange(len(points))
    state.numbers[EMPTIES] = len(points)
    state.numbers[NEXT_NAME] = 1


def load(state: GroupState, position: DropPosition) -> None:
    """Put `position` into `state`."""
    board = position.start.game.board
    points = tables(board).points
    _clear(state, points)
    drops = {board.index[drop.vertex]: drop.colour for drop in position.drops}
    for index, stone in enumerate(position.start.stones):
        colour = drops.get(index, stone)
        if colour != EMPTY:
            play_action(state, 2 * int(points[index]) + (colour != Colour.BLACK))
    state.numbers[SIDE] = int(position.start.to_move is Colour.WHITE)
    state.numbers[PASSES] = 0 if position.drops else position.start.status.passes
    state.numbers[DROPS] = len(position.drops)


def action_count(game: Game) -> int:
    """Return how many actions there are: two colours on every point, a pass and an end."""
    return 2 * tables(game.board).area + 2


def action_of(game: Game, number: int) -> Action:
    """Return the action that `number` stands for."""
    table = tables(game.board)
    if number >= 2 * table.area:
        return PASS if number == 2 * table.area else END
    index = int(np.nonzero(table.points == number >> 1)[0][0])
    return Drop(Colour.WHITE if number & 1 else Colour.BLACK, game.board.vertices[index])


def action_number(game: Game, action: Action) -> int:
    """Return the number of `action`. Raises ValueError if the game has no such action."""
    table = tables(game.board)
    if isinstance(action, Drop):
        point = int(table.points[game.board.index[action.vertex]])
        return 2 * point + (action.colour is Colour.WHITE)
    if isinstance(action, Pass | End):
        return 2 * table.area + isinstance(action, End)
    raise ValueError(f"{action} is no action of {game.name.capitalize()}")
