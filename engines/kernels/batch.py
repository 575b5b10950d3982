"""Many games in one stack: steps, random actions, and what a learning program sees of each.

What is seen lies in arrays that the caller keeps. An action changes little of it, so a step writes
only the change; `show_games` writes everything. The planes are those of `oddly.learning.PLANES`.

A *stack* holds many states in one: those of many games, or of a solver's path. It is itself a state
of the same type, whose arrays have one more axis in front: the depth. Arrays that two new states
share are the board's tables; they stay single, with a depth of 1. So does the tuple `unrolled` of
some states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.ayu_moves import may_swap
from oddly.engines.kernels.ayu_rules import CELLS as AYU_CELLS
from oddly.engines.kernels.ayu_rules import COLOUR, PIECES, SLOTS, UNITS
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.group_rules import AREA, BLACK, CELLS, DROPS, PASSES, SIDE
from oddly.engines.kernels.interface import (
    STATES,
    copy_state,
    is_over,
    legal_actions,
    new_state,
    play_action,
    reward,
    side_to_move,
)
from oddly.engines.kernels.jit import by_state, compiled, inlined
from oddly.engines.kernels.numbers import U, advance, below, ones
from oddly.engines.kernels.odd_features import colour_at
from oddly.engines.kernels.odd_kernel import (
    IS_SQUARE,
    LEAST,
    SPREAD,
    STRIDE,
    OddState,
    has_odd_number_of_labels,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games import Game


def new_stack(game: Game, depth: int) -> Any:
    """Return room for `depth` states of `game`."""
    first, second = new_state(game), new_state(game)
    stacked = [_stacked(*each, depth) for each in zip(first, second, strict=True)]
    for place, field in enumerate(first):
        for other, whole in zip(stacked, first, strict=True):
            if not isinstance(field, tuple) and field.base is whole:
                # The same memory by another name: what is written to one is in both.
                stacked[place] = other.view(field.dtype)
    return type(first)(*stacked)


def _stacked(one: Any, other: Any, depth: int) -> Any:
    if isinstance(one, tuple):
        return one
    return one[np.newaxis] if one is other else np.stack([one] * depth)


def _view(state_type: Any) -> Callable[..., Any]:
    """Return `at_depth` for one type of state, field by field: Numba has no loop over fields."""
    fields = (
        f"stack.{f}" if f == "unrolled" else f"stack.{f}[min(depth, len(stack.{f}) - 1)]"
        for f in state_type._fields
    )
    names = {"State": state_type}
    source = f"def view(stack, depth):\n    return State({', '.join(fields)})\n"
    exec(source, names)  # noqa: S102
    view: Callable[..., Any] = names["view"]
    return view


at_depth = by_state({state: compiled(_view(state)) for state in STATES})
"""at_depth(stack, depth) -> the state at that depth, sharing the memory of the stack.

With Numba only compiled functions can call it: none returns arrays to Python.
"""


HALF_TURN, PASSED, WHITE_TO_MOVE, ODD, MAY_SWAP, BOARD = range(2, 8)
"""The planes after those of the stones, by their place."""

NONE = -1


@compiled
def first_illegal(masks, over, chosen):  # type: ignore[no-untyped-def]
    """Return the first game whose chosen action is illegal, or NONE; one that is over takes any."""
    for game in range(len(chosen)):
        if over[game] != 0:
            continue
        action = chosen[game]
        if action < 0 or action >= masks.shape[1] or masks[game, action] == 0:
            return game
    return NONE


@compiled
def step_games(  # type: ignore[no-untyped-def]
    stack, start, first, last, chosen, planes, masks, rewards, ends, over, players, places, legal,
    resets,
):  # fmt: skip
    """Play a legal action in each game from `first` to below `last`, and write what is seen then.

    A game that ends begins anew if `resets`, else it is `over`: it stays as it is and takes no more
    actions. `ends` says which games this step ended.
    `chosen`: int32, (games,); `legal`: int32, (actions,), scratch; `start` is a state at the start.
    """
    for game in range(first, last):
        rewards[game, 0] = rewards[game, 1] = 0
        ends[game] = False
        if over[game] != 0:
            continue
        state = at_depth(stack, game)
        play_action(state, chosen[game])
        ended = is_over(state)
        ends[game] = ended
        if ended:
            rewards[game, 0] = np.float32(2 * reward(state) - 1)
            rewards[game, 1] = -rewards[game, 0]
            over[game] = not resets
            if resets:
                copy_state(state, start)
            show(state, planes[game], masks[game], places, legal)
        else:
            change(state, chosen[game], planes[game], masks[game], places, legal)
        players[game] = side_to_move(state)


@compiled
def show_games(stack, games, planes, masks, players, places, legal):  # type: ignore[no-untyped-def]
    """Write all that is seen of the games whose numbers are in `games`."""
    for place in range(len(games)):
        game = games[place]
        state = at_depth(stack, game)
        show(state, planes[game], masks[game], places, legal)
        players[game] = side_to_move(state)


@compiled
def begin_games(stack, start, games):  # type: ignore[no-untyped-def]
    """Put the games whose numbers are in `games` at the start."""
    for place in range(len(games)):
        copy_state(at_depth(stack, games[place]), start)


@compiled
def random_actions(masks, generators, first, last, chosen):  # type: ignore[no-untyped-def]
    """Write a uniformly random legal action of each game to `chosen`, 0 where there is none."""
    for game in range(first, last):
        mask = masks[game]
        count = np.int64(0)
        for action in range(len(mask)):
            count += mask[action]
        chosen[game] = 0
        if count == 0:
            continue
        generators[game] = advance(generators[game])
        left = below(generators[game], count)
        for action in range(len(mask)):
            left -= mask[action]
            if left < 0:
                chosen[game] = action
                break


@compiled
def _fill(planes, plane, value):  # type: ignore[no-untyped-def]
    row = planes[plane]
    for place in range(len(row)):
        row[place] = value


@compiled
def _mask_legal(state, mask, legal):  # type: ignore[no-untyped-def]
    for action in range(len(mask)):
        mask[action] = 0
    if not is_over(state):
        for place in range(legal_actions(state, legal)):
            mask[legal[place]] = 1


@compiled
def _show_group_facts(state, planes, mask, legal):  # type: ignore[no-untyped-def]
    numbers = state.numbers
    _fill(planes, HALF_TURN, np.uint8(numbers[DROPS] == 1))
    _fill(planes, PASSED, np.uint8(numbers[PASSES] > 0))
    _fill(planes, WHITE_TO_MOVE, np.uint8(numbers[SIDE]))
    _fill(planes, ODD, np.uint8((numbers[BLACK] + numbers[BLACK + 1]) & 1))
    _mask_legal(state, mask, legal)


@compiled
def change_group(state, action, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write what `action` has changed, in Yodd and Xodd."""
    if action < 2 * state.sizes[CELLS]:
        planes[action & 1, places[action >> 1]] = 1
    _show_group_facts(state, planes, mask, legal)


@compiled
def show_group(state, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write all that is seen of a position of Yodd or Xodd."""
    area = state.sizes[AREA]
    for index in range(len(places)):
        # The point on the left has a bit for a stone to its east, in the mask of its colour.
        left = np.int64(state.points[index]) - 1
        for colour in range(2):
            planes[colour, places[index]] = state.ring[colour * area + left] & 1
        planes[BOARD, places[index]] = 1
    _show_group_facts(state, planes, mask, legal)


@compiled
def change_odd(state, action, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write what `action` has changed, in Odd: only its cell is no longer empty."""
    cell = action >> 1
    planes[action & 1, places[cell]] = 1
    mask[2 * cell] = mask[2 * cell + 1] = 0
    _fill(planes, WHITE_TO_MOVE, np.uint8(side_to_move(state)))
    _fill(planes, ODD, np.uint8(counts_oddly(state)))


@compiled
def show_odd(state, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write all that is seen of a position of Odd."""
    for index in range(len(places)):
        colour = colour_at(state, index)
        planes[0, places[index]] = colour == 0
        planes[1, places[index]] = colour == 1
        planes[BOARD, places[index]] = 1
    _mask_legal(state, mask, legal)
    _fill(planes, WHITE_TO_MOVE, np.uint8(side_to_move(state)))
    _fill(planes, ODD, np.uint8(counts_oddly(state)))


@compiled
def counts_oddly(state):  # type: ignore[no-untyped-def]
    """Return 1 if the groups that count are odd in number, else 0.

    `odd_kernel.py` explains the method. Here the board may have empty cells: they have no links,
    so that each looks like a group of one.
    """
    white, empty, linked, bridges = state.white, state.empty, state.linked, state.bridges
    step_words = state.step_words
    stride, is_square = U(state.numbers[STRIDE]), state.numbers[IS_SQUARE] == 1
    to_corner = stride + U(1) if is_square else stride - U(1)
    words = words_of(state)
    before, before_stones, empties = U(0), U(0), U(0)
    for word in range(words):
        now, stones = white[word], ~empty[word]
        empties ^= ones(empty[word])
        below = _linked(linked[U(3) * word], now, stones, before, before_stones, stride)
        left = _linked(linked[U(3) * word + U(1)], now, stones, before, before_stones, U(1))
        corner = _linked(linked[U(3) * word + U(2)], now, stones, before, before_stones, to_corner)
        before, before_stones = now, stones
        bridges[word] = left & below & ~corner if is_square else left & corner & ~below
        by_one = below | left
        by_row = below if is_square else below | (corner & ~left)
        for part in range(U(8) * word, U(8) * word + U(8)):
            step_words[part] = SPREAD[by_one & U(255)] + SPREAD[by_row & U(255)] * (stride - U(1))
            by_one >>= U(8)
            by_row >>= U(8)
    odd = np.uint8(empties & U(1)) if state.numbers[LEAST] == 1 else np.uint8(0)
    return has_odd_number_of_labels(state, odd)


@inlined
def _linked(linked, now, stones, before, before_stones, step):  # type: ignore[no-untyped-def]
    """Return the stones that have a neighbour of their colour `step` points back."""
    back = U(64) - step
    same = ~(now ^ ((now << step) | (before >> back)))
    return linked & same & stones & ((stones << step) | (before_stones >> back))


@compiled
def _show_ayu_facts(state, planes, mask, legal):  # type: ignore[no-untyped-def]
    numbers = state.numbers
    _fill(planes, WHITE_TO_MOVE, np.uint8(numbers[COLOUR]))
    _fill(planes, ODD, np.uint8((numbers[UNITS] + numbers[UNITS + 1]) & 1))
    _fill(planes, MAY_SWAP, np.uint8(may_swap(state)))
    _mask_legal(state, mask, legal)


@compiled
def change_ayu(state, action, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write what `action` has changed, in Ayu."""
    cells = state.sizes[AYU_CELLS]
    origin = action // cells
    if origin < cells:
        colour = 1 - state.numbers[COLOUR]
        planes[colour, places[origin]] = 0
        planes[colour, places[action - origin * cells]] = 1
    _show_ayu_facts(state, planes, mask, legal)


@compiled
def show_ayu(state, planes, mask, places, legal):  # type: ignore[no-untyped-def]
    """Write all that is seen of a position of Ayu."""
    _fill(planes, 0, np.uint8(0))
    _fill(planes, 1, np.uint8(0))
    for index in range(len(places)):
        planes[BOARD, places[index]] = 1
    for colour in range(2):
        first = colour * state.sizes[SLOTS]
        for slot in range(first, first + state.numbers[PIECES + colour]):
            planes[colour, places[state.pieces[slot]]] = 1
    _show_ayu_facts(state, planes, mask, legal)


show = by_state({GroupState: show_group, OddState: show_odd, AyuState: show_ayu})
"""show(state, planes, mask, places, legal): write all that is seen of a position."""

change = by_state({GroupState: change_group, OddState: change_odd, AyuState: change_ayu})
"""change(state, action, planes, mask, places, legal): write what the last action has changed."""
