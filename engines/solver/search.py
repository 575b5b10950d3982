"""A search that tells whether one side can force a win.

A depth-first search of the and-or tree of single actions, with a transposition table. The nodes
where the attacker moves need one action that wins for him; the others need all of them. The
position says who moves, since a turn of two drops is two actions of one player. In Yodd and Xodd
`reward` is also asked before the end: it says who has fewer groups.

The search is a loop over an explicit stack and stops after any number of nodes, to go on later.

What the table holds is true on every path to a position. Where positions can repeat (Ayu) that
takes care, because a repetition counts as a failure of the attack:

- A proved win rests on no repetition, and the attacker needs none: along a proof the distance to
  the win falls, so that no position of it occurs twice. It holds on every path.
- A failure may rest on a repetition of a position further up the path (`reliance`, the least depth
  of such a position). It is put in the table only if all these positions lie at or below its own
  node: then it would be found in the same way with that node as the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oddly.engines.kernels.batch import at_depth
from oddly.engines.kernels.interface import (
    copy_state,
    is_over,
    legal_actions,
    play_action,
    reward,
    side_to_move,
)
from oddly.engines.kernels.jit import compiled
from oddly.engines.solver.tables import (
    ALL_LANES,
    CAN_REPEAT,
    DRAW,
    DROP_KIND,
    HAS_PASSES,
    LOSS,
    MAX_DROPS,
    PASS_ACTION,
    PASS_KIND,
    WIN,
    look_up,
    mixed,
    store,
)

FAILS, WINS, OPEN, TOO_DEEP = range(4)
"""What is known of the attack at a node or, when the search has stopped, at the root."""

ATTACKER, TOP, NODES, RETURNS, RESULT, RELIANCE, ACTION = range(7)
"""Indices of `Frames.control`."""

NO_RELIANCE = 1 << 30
NO_ACTION = -1
FIRST = 1 << 62


class Frames(NamedTuple):
    """The stack of the search: D depths, A actions. All int64 but for the codes and keys."""

    control: np.ndarray
    """The attacker's side, the depth reached, nodes, what the last node returned and whether it
    has, and the action that decided the root: (7,)."""
    codes: np.ndarray
    """The position's code in each lane: (D, lanes), uint64."""
    keys: np.ndarray
    """The position's key in the table: (D,), uint64."""
    lane: np.ndarray
    """The lane that the key was taken from: (D,)."""
    side: np.ndarray
    """Who moves: (D,)."""
    drops: np.ndarray
    """Drops made in this turn: (D,)."""
    passes: np.ndarray
    """Passes in a row: (D,)."""
    actions: np.ndarray
    """Legal actions in the order of their trial: (D, A), int32."""
    listed: np.ndarray
    """How many: (D,)."""
    tried: np.ndarray
    """How many have been tried: (D,)."""
    reliance: np.ndarray
    """The least depth of a repeated position that a failure rests on: (D,)."""
    began: np.ndarray
    """The number of nodes when the node was entered: (D,)."""
    scores: np.ndarray
    """How promising the actions of the node being listed are: (A,)."""
    history: np.ndarray
    """How often an action decided a node: (2 sides, A)."""


def new_frames(depth: int, actions: int, lanes: int) -> Frames:
    """Return an empty stack."""
    numbers = [np.zeros(depth, dtype=np.int64) for _ in range(8)]
    lane, side, drops, passes, listed, tried, reliance, began = numbers
    return Frames(
        control=np.zeros(7, dtype=np.int64),
        codes=np.zeros((depth, lanes), dtype=np.uint64),
        keys=np.zeros(depth, dtype=np.uint64),
        lane=lane,
        side=side,
        drops=drops,
        passes=passes,
        actions=np.zeros((depth, actions), dtype=np.int32),
        listed=listed,
        tried=tried,
        reliance=reliance,
        began=began,
        scores=np.zeros(actions, dtype=np.int64),
        history=np.zeros((2, actions), dtype=np.int64),
    )


@compiled
def advance(plan, frames, stack, state, table, nodes):  # type: ignore[no-untyped-def]
    """Search up to `nodes` more nodes; return FAILS or WINS once the root is decided, or OPEN."""
    control = frames.control
    limit = control[NODES] + nodes
    top = control[TOP]
    returns, result, reliance = control[RETURNS], control[RESULT], control[RELIANCE]
    while True:
        if returns == 0:
            if control[NODES] >= limit or top >= len(frames.side) - 2:
                break
            control[NODES] += 1
            result, reliance = _enter(plan, frames, stack, state, table, top)
            returns = result != OPEN
        else:
            if top == 0:
                break
            top -= 1
            result, reliance = _receive(plan, frames, table, top, result, reliance)
            returns = result != OPEN
        if returns == 0:
            result, reliance = _try_next(plan, frames, stack, state, table, top)
            if result == OPEN:
                top += 1
            returns = result != OPEN
    control[TOP], control[RETURNS] = top, returns
    control[RESULT], control[RELIANCE] = result, reliance
    if returns:
        return result
    return OPEN if top < len(frames.side) - 2 else TOO_DEEP


@compiled
def _enter(plan, frames, stack, state, table, top):  # type: ignore[no-untyped-def]
    """Decide the node at `top` at once or list its actions; return its result and reliance."""
    attacker, side = frames.control[ATTACKER], frames.side[top]
    control = frames.control
    frames.began[top] = control[NODES]
    frames.reliance[top] = NO_RELIANCE
    frames.tried[top] = 0
    if plan.rules[CAN_REPEAT]:
        earlier = _repeated(frames, top)
        if earlier >= 0:
            return FAILS, earlier
    if is_over(state):
        return _ending(reward(state), attacker), NO_RELIANCE
    # Keys leave out passes in a row: a pass of the side that is behind loses at once, as the second
    # in a row or because the other passes too; and the side that is ahead wins by a second pass.
    passing = plan.rules[HAS_PASSES] != 0 and frames.drops[top] == 0 and frames.codes[top, 0] != 0
    if passing:
        passing = reward(state) == 1.0 - side
        if passing and frames.passes[top] == 1:
            control[ACTION] = plan.rules[PASS_ACTION]
            return WINS if side == attacker else FAILS, NO_RELIANCE
    first, end = _lanes_of(plan, side, frames.codes.shape[1])
    lane = _lowest_lane(frames.codes[top], first, end)
    key = mixed(frames.codes[top, lane] ^ plan.flags[side, frames.drops[top]])
    frames.lane[top], frames.keys[top] = lane, key
    known = look_up(table, key)
    result = _known_result(known, side == attacker)
    action = np.int64(plan.origin[lane, (known >> 10) - 1]) if known >> 10 else NO_ACTION
    if result != OPEN:
        control[ACTION] = action
        return result, NO_RELIANCE
    copy_state(at_depth(stack, top), state)
    count = legal_actions(state, frames.actions[top])
    if plan.rules[HAS_PASSES] and not passing:
        count = _without_pass(plan, frames.actions[top], count)
    return _sort(plan, frames, table, top, count, action)


@compiled
def _sort(plan, frames, table, top, count, best):  # type: ignore[no-untyped-def]
    """Put the actions in the order of their trial; those that the table decides need none."""
    side, actions, scores = frames.side[top], frames.actions[top], frames.scores
    attacker = frames.control[ATTACKER]
    decisive = WINS if side == attacker else FAILS
    codes, change, lanes = frames.codes[top], plan.change[side], frames.codes.shape[1]
    # A first drop is followed by the same mover's second, except on Black's first turn.
    goes_on = frames.drops[top] + 1 < plan.rules[MAX_DROPS] and codes[0] != 0
    kept = 0
    for number in range(count):
        action = np.int64(actions[number])
        stays = goes_on and plan.kind[action] == DROP_KIND
        mover = side if stays else 1 - side
        first, end = _lanes_of(plan, mover, lanes)
        code = _lowest_after(codes, change, action, first, end) ^ plan.flags[mover, int(stays)]
        result = _known_result(look_up(table, mixed(code)), mover == attacker)
        if result == decisive:
            return _decide(plan, frames, table, top, action, result, NO_RELIANCE)
        if result != OPEN:
            continue
        score = FIRST if action == best else frames.history[side, action]
        place = kept
        while place > 0 and scores[place - 1] < score:
            actions[place], scores[place] = actions[place - 1], scores[place - 1]
            place -= 1
        actions[place], scores[place] = action, score
        kept += 1
    frames.listed[top] = kept
    return OPEN, NO_RELIANCE


@compiled
def _lowest_after(codes, change, action, first, end):  # type: ignore[no-untyped-def]
    """Return the lowest code of the lanes from `first` to before `end` after an action."""
    lowest = codes[first] ^ change[action, first]
    for lane in range(first + 1, end):
        lowest = min(lowest, codes[lane] ^ change[action, lane])
    return lowest


@compiled
def _lanes_of(plan, side, lanes):  # type: ignore[no-untyped-def]
    """Return the first lane and the end of the lanes for keys with `side` to move."""
    if plan.rules[ALL_LANES]:
        return 0, lanes
    return side * (lanes // 2), side * (lanes // 2) + lanes // 2


@compiled
def _try_next(plan, frames, stack, state, table, top):  # type: ignore[no-untyped-def]
    """Play the next action onto the level below, or decide the node if there is none."""
    side, number = frames.side[top], frames.tried[top]
    if number == frames.listed[top]:
        result = FAILS if side == frames.control[ATTACKER] else WINS
        return _decide(plan, frames, table, top, NO_ACTION, result, frames.reliance[top])
    frames.tried[top] = number + 1
    action, below = np.int64(frames.actions[top, number]), top + 1
    if number > 0:
        copy_state(state, at_depth(stack, top))
    play_action(state, action)
    for lane in range(frames.codes.shape[1]):
        frames.codes[below, lane] = frames.codes[top, lane] ^ plan.change[side, action, lane]
    kind = plan.kind[action]
    frames.side[below] = side_to_move(state)
    frames.drops[below] = 1 if kind == DROP_KIND and frames.side[below] == side else 0
    frames.passes[below] = frames.passes[top] + 1 if kind == PASS_KIND else 0
    return OPEN, NO_RELIANCE


@compiled
def _receive(plan, frames, table, top, result, reliance):  # type: ignore[no-untyped-def]
    """Take in the result of the action tried last; return the node's own, or OPEN to go on."""
    attacks = frames.side[top] == frames.control[ATTACKER]
    if result == (WINS if attacks else FAILS):
        action = np.int64(frames.actions[top, frames.tried[top] - 1])
        return _decide(plan, frames, table, top, action, result, reliance)
    if attacks and reliance < frames.reliance[top]:
        frames.reliance[top] = reliance
    return OPEN, NO_RELIANCE


@compiled
def _decide(plan, frames, table, top, action, result, reliance):  # type: ignore[no-untyped-def]
    """Note how the node at `top` was decided, by `action` of its mover or by none."""
    side = frames.side[top]
    frames.control[ACTION] = action
    seen = action
    nodes = frames.control[NODES] - frames.began[top] + 1
    if action != NO_ACTION:
        frames.history[side, action] += frames.listed[top] ** 2
        seen = np.int64(plan.image[frames.lane[top], action])
    if reliance < top:
        return result, reliance
    gain = DRAW if plan.rules[CAN_REPEAT] else WIN
    least, greatest = LOSS, WIN
    if side == frames.control[ATTACKER]:
        if result == WINS:
            least = WIN
        else:
            greatest = WIN - gain
    elif result == WINS:
        greatest = LOSS
    else:
        least = gain
    store(table, frames.keys[top], least, greatest, nodes, seen)
    return result, NO_RELIANCE


@compiled
def _known_result(known, attacks):  # type: ignore[no-untyped-def]
    """Return whether an entry of the table decides the attack, the attacker moving or not."""
    least, greatest = known & 3, known >> 2 & 3
    if attacks:
        if least == WIN:
            return WINS
        return FAILS if greatest < WIN else OPEN
    if greatest == LOSS:
        return WINS
    return FAILS if least > LOSS else OPEN


@compiled
def _ending(black_reward, attacker):  # type: ignore[no-untyped-def]
    """Return the result of a game that is over."""
    return WINS if black_reward == 1.0 - attacker else FAILS


@compiled
def _without_pass(plan, actions, count):  # type: ignore[no-untyped-def]
    """Take the pass out of a list of actions and return how many are left."""
    kept = 0
    for number in range(count):
        if actions[number] != plan.rules[PASS_ACTION]:
            actions[kept] = actions[number]
            kept += 1
    return kept


@compiled
def _repeated(frames, top):  # type: ignore[no-untyped-def]
    """Return the depth at which the position of `top` occurred before, or -1."""
    for depth in range(top - 2, -1, -1):
        if (
            frames.codes[depth, 0] == frames.codes[top, 0]
            and frames.side[depth] == frames.side[top]
        ):
            return depth
    return -1


@compiled
def _lowest_lane(codes, first, end):  # type: ignore[no-untyped-def]
    """Return the lane from `first` to before `end` that has the lowest code."""
    lowest = first
    for lane in range(first + 1, end):
        if codes[lane] < codes[lowest]:
            lowest = lane
    return lowest
