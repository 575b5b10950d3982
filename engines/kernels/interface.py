"""The functions of every kernel, chosen by the type of the state.

A *state* is a NamedTuple of arrays: what lies on the board, what is known about it, and the
tables of the board. `new_state` makes one for a game, `load` puts a position into it, and all
other functions change the arrays in place; a saved copy is the way back (`copy_state`).

An *action* is a number from 0 to `action_count(game)` - 1 for a drop, an `end`, a pass, a move or
a swap, as in `games/drop_level.py`: a turn of two drops is two actions. `action_number` and
`action_of` translate.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oddly.engines.kernels import ayu_kernel, group_kernel, odd_kernel
from oddly.engines.kernels.available import KERNEL_MODULES
from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.jit import by_state
from oddly.engines.kernels.odd_kernel import OddState

if TYPE_CHECKING:
    from types import ModuleType

    from oddly.games.drop_level import Action, DropPosition
    from oddly.games.game import Game

KERNELS = {game: import_module(module) for game, module in KERNEL_MODULES.items()}
STATES = {GroupState: group_kernel, OddState: odd_kernel, AyuState: ayu_kernel}
"""The kernel of each type of state."""


def kernel_of(game: Game) -> ModuleType:
    """Return the module that plays `game`. Raises KeyError if it has no kernel (`available.py`)."""
    return KERNELS[type(game)]


def new_state(game: Game) -> Any:
    """Return the starting position of `game` as a state."""
    return kernel_of(game).new_state(game)


def load(state: Any, position: DropPosition) -> None:
    """Put `position`, which may lie inside a turn, into `state`, made for the same game."""
    kernel_of(position.start.game).load(state, position)


def action_count(game: Game) -> int:
    """Return one more than the highest number of an action of `game`."""
    return int(kernel_of(game).action_count(game))


def action_of(game: Game, number: int) -> Action:
    """Return the action that `number` stands for."""
    action: Action = kernel_of(game).action_of(game, number)
    return action


def action_number(game: Game, action: Action) -> int:
    """Return the number of `action`. Raises ValueError if the game has no such action."""
    return int(kernel_of(game).action_number(game, action))


def _by_state(name: str) -> Any:
    return by_state({state: getattr(kernel, name) for state, kernel in STATES.items()})


copy_state = _by_state("copy_state")
"""copy_state(target, source): make `target` equal to `source`."""

legal_actions = _by_state("legal_actions")
"""legal_actions(state, actions) -> how many legal actions it wrote to `actions` (int32)."""

promising_actions = _by_state("promising_actions")
"""promising_actions(state, actions) -> like legal_actions, without what surely loses at once.

At least one action is left where there is any.
"""

play_action = _by_state("play_action")
"""play_action(state, action): play a legal action; nothing is checked."""

play_through = _by_state("play_through")
"""play_through(state, action): like play_action, but may leave to `survey` what only a position
needs where actions are listed or drawn. Until then `is_over` tells no more than whether the game
ended by a repetition, and only what changes the position may be called."""

survey = _by_state("survey")
"""survey(state): find what play_through left out. It does no harm where nothing was."""

side_to_move = _by_state("side_to_move")
"""side_to_move(state) -> 0 for Black, 1 for White."""

is_over = _by_state("is_over")
"""is_over(state) -> whether the game has ended."""

reward = _by_state("reward")
"""reward(state) -> 1.0 if Black won, 0.0 if White did, 0.5 for a draw; only once it is over."""

position_hash = _by_state("position_hash")
"""position_hash(state) -> uint64, equal for equal positions (stones, side, passes, drops made)."""

playout = _by_state("playout")
"""playout(state, random, marks, stamp) -> Black's reward.

Plays uniformly random legal actions from `state` to the end. `random` is a generator's state (see
randomness.py). For each action made, except passes and ends, marks[action] = stamp (`marks`:
int32, shape (action_count,)).
"""

rollout = _by_state("rollout")
"""rollout(state, random, marks, stamp, plies, worth) -> Black's reward, or an estimate of it.

Like a playout, but a kernel that has an evaluation stops after `plies` actions and returns it, and
a game that is won by more or less counts by its lead: see `lead.py` on `worth`, 0 for plain wins.
"""
