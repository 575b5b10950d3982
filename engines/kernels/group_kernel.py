"""The kernel of Yodd and Xodd, with its random games.

Only the parity of the groups decides what is legal, and a drop changes the number of groups by one
minus the groups of its colour that it touches. So everything turns on counting those, fast:

- `ring[colour * area + point]` has a bit for each of the eight points around `point` that holds a
  stone of `colour`. A drop changes one bit around each of its neighbours.
- `runs` has for those bits one stone of each run, stones that are connected around the point. With
  at most one run, the groups touched are as many.
- Two runs or more may be one group that closes elsewhere on the board: `names` holds the name of
  the group on each point, 0 where it is empty, and a merge renames one group all over the board.
  That is a loop without branches, which compiles to a few vector instructions.

Indices are unsigned on purpose: with signed ones Numba tests each for being negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.group_rules import (
    AREA,
    BLACK,
    CELLS,
    DROPS,
    EMPTIES,
    IS_SQUARE,
    NEXT_NAME,
    PASSES,
    SIDE,
    STRIDE,
    WHITE,
    copy_array,
    copy_state,
    flip,
    is_over,
    legal_actions,
    merge,
    play_action,
    play_through,
    position_hash,
    reward,
    safe_actions,
    side_to_move,
    survey,
    tables,
    touched,
)
from oddly.engines.kernels.jit import compiled
from oddly.engines.kernels.numbers import advance, below, chance
from oddly.games import EMPTY, Colour, DropPosition, Game

__all__ = [
    "GroupState",
    "copy_state",
    "is_over",
    "legal_actions",
    "load",
    "new_state",
    "play_action",
    "play_through",
    "playout",
    "position_hash",
    "reward",
    "rollout",
    "safe_actions",
    "side_to_move",
    "survey",
]


class GroupState(NamedTuple):
    """A position of Yodd or Xodd, with room for the work on it.

    `empty` lists the empty points, `slot` says where in the list each is. `numbers` and `sizes`
    are named in `group_rules.py`; `runs`, `keys`, `sizes`, `points` and `indices` belong to the
    board. `saved` and `changing` are scratch.
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
    points: np.ndarray
    indices: np.ndarray


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
        points=table.points,
        indices=table.indices,
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
    stones = np.frombuffer(bytes(position.start.stones), np.uint8).copy()
    for index, colour in drops.items():
        stones[index] = colour
    lying = (stones != EMPTY).nonzero()[0]
    _play_all(state, 2 * lying + (stones[lying] != Colour.BLACK))
    state.numbers[SIDE] = int(position.start.to_move is Colour.WHITE)
    state.numbers[PASSES] = 0 if position.drops else position.start.status.passes
    state.numbers[DROPS] = len(position.drops)


@compiled
def _play_all(state, actions):  # type: ignore[no-untyped-def]
    for action in actions:
        play_action(state, action)


U = np.uint64

PATIENCE = 8
"""Second drops that may miss before all are looked through for one that mends the parity."""


@compiled
def playout(state, random, marks, stamp):  # type: ignore[no-untyped-def]
    """Play uniformly random legal actions to the end; return 1.0 if Black won, else 0.0.

    Actions are drawn from all drops and a pass or an end, and rejected until one is legal. A first
    drop that leaves an even number is placed before its second is drawn, and taken back in the rare
    case that no second mends it: so each legal first drop is as likely as any other.

    The loop draws once per round; `is_second` says for which drop of a turn. Everything it needs
    stays in local variables, and there is one place that looks around a point and one that drops,
    since each copy would be compiled again. The state is used up: its list of empty points, hash
    and side are those of no position afterwards.
    """
    ring, names, empty, runs = state.ring, state.names, state.empty, state.runs
    saved, numbers, indices = state.saved, state.numbers, state.indices
    area, stride = state.sizes[AREA], U(state.sizes[STRIDE])
    is_square = state.sizes[IS_SQUARE] == 1
    empties, black, white = numbers[EMPTIES], numbers[BLACK], numbers[WHITE]
    next_name, passes = numbers[NEXT_NAME], numbers[PASSES]
    number = random[0]

    is_first_turn = empties == state.sizes[CELLS]
    is_second = numbers[DROPS] == 1
    parity = (black + white) & 1
    misses = 0
    first_point, first_slot, first_colour, first_touched = U(0), U(0), 0, np.int64(0)
    choices = 2 * empties + parity
    while passes < 2:
        number = advance(number)
        draw = below(number, choices)
        if draw == 2 * empties:
            passes = 0 if is_second else passes + 1
            is_second = False
            choices = 2 * empties + 1
            continue
        slot, colour = U(draw >> 1), draw & 1
        point = U(empty[slot])
        at = U(colour * area) + point
        row = U(ring[at]) * U(4)
        step, other_step = runs[row], runs[row + U(1)]
        keep = names[point + U(step)]
        second = third = fourth = keep
        found = np.int64(keep != 0)
        if other_step != step:
            second = names[point + U(other_step)]
            third = names[point + U(runs[row + U(2)])]
            found += np.int64(second != keep) + np.int64((third != keep) & (third != second))
            if is_square:
                fourth = names[point + U(runs[row + U(3)])]
                found += np.int64((fourth != keep) & (fourth != second) & (fourth != third))
        if is_first_turn:
            is_first_turn, is_second = False, True
        elif not is_second:
            parity = found & 1
            if parity == 0:
                if empties == 1:
                    continue
                if found >= 2:
                    copy_array(saved, names)
            first_point, first_slot, first_colour, first_touched = point, slot, colour, found
            misses = 0
        elif found & 1 != parity:
            misses += 1
            if misses == PATIENCE and parity == 0 and not _can_mend(state, empties):
                flip(ring, U(first_colour * area) + first_point, stride, is_square)
                if first_touched >= 2:
                    copy_array(names, saved)
                names[first_point] = 0
                if first_colour == 0:
                    black -= 1 - first_touched
                else:
                    white -= 1 - first_touched
                empty[U(empties)] = empty[first_slot]
                empty[first_slot] = first_point
                empties += 1
                if marks is not None:
                    marks[U(2) * U(indices[first_point]) + U(first_colour)] = 0
                is_second = False
                choices = 2 * empties + 1
            continue

        flip(ring, at, stride, is_square)
        if colour == 0:
            black += 1 - found
        else:
            white += 1 - found
        if found == 0:
            names[point] = next_name
            next_name += 1
        else:
            names[point] = keep
            if found > 1:
                if second != keep:
                    merge(names, keep, second, area)
                if third != keep and third != second:
                    merge(names, keep, third, area)
                if fourth != keep and fourth != second and fourth != third:
                    merge(names, keep, fourth, area)
        if marks is not None:
            marks[U(draw & 1) + U(2) * U(indices[point])] = stamp
        empties -= 1
        empty[slot] = empty[U(empties)]
        if is_second:
            passes = 0
        is_second = not is_second
        choices = 2 * empties + (parity if is_second else 1)
    random[0] = number
    numbers[EMPTIES], numbers[BLACK], numbers[WHITE] = empties, black, white
    numbers[PASSES] = 2
    return 1.0 if black < white else 0.0


@compiled
def _can_mend(state, empties):  # type: ignore[no-untyped-def]
    """Return whether some drop changes the parity."""
    for slot in range(empties):
        point = U(state.empty[slot])
        if touched(state, point, 0) & 1 == 0 or touched(state, point, 1) & 1 == 0:
            return True
    return False


@compiled
def rollout(state, random, marks, stamp, plies, worth, best_of):  # type: ignore[no-untyped-def]
    """Play a playout and return what Black's lead in groups is worth (1.0 or 0.0 if `worth` is 0).

    `plies` and `best_of` make no difference: nothing is known that would stop or guide a game.
    """
    won = playout(state, random, marks, stamp)
    if worth == 0:
        return won
    return chance(state.numbers[WHITE] - state.numbers[BLACK], worth)
