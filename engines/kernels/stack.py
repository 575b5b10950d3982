"""Many states in one: as the solver keeps those that it comes from, and learning those it plays.

A stack is itself a state of the same type, whose arrays have one more axis in front: the depth.
Arrays that two new states share are the board's tables; they stay single, with a depth of 1. So
does the tuple `unrolled` of some states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.kernels.interface import STATES, new_state
from oddly.engines.kernels.jit import by_state, compiled

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
                # The same memory by another name, so that what is written to one is in both.
                stacked[place] = other.view(field.dtype)
    return type(first)(*stacked)


def _stacked(one: Any, other: Any, depth: int) -> Any:
    if isinstance(one, tuple):
        return one
    return one[np.newaxis] if one is other else np.stack([one] * depth)


def _view(state_type: Any) -> Callable[..., Any]:
    """`at_depth` for one type of state, field by field: Numba has no loop over fields."""
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
