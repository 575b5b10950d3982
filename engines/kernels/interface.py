"""The functions of every kernel, chosen by the type of the state.

A *state* is a NamedTuple of arrays: what lies on the board, what is known about it, and the
tables of the board. `new_state` makes one for a game, `load` puts a position into it, and all
other functions change the arrays in place; a saved copy is the way back (`copy_state`).

An *action* is a number from 0 to `action_count(game)` - 1 for a drop, an `end`, a pass, a move or
a swap: a turn of two drops is two actions. The numbers are those of `games/drop_level.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oddly.engines.kernels import ayu_kernel, group_kernel, odd_kernel
from oddly.engines.kernels.ayu_kernel import AyuState
from oddly.engines.kernels.group_kernel import GroupState
from oddly.engines.kernels.jit import by_state, compiled, warm
from oddly.engines.kernels.machine_code import KERNEL_MODULES, has_kernel, tell_of_plain_rules
from oddly.engines.kernels.numbers import advance, below, generator
from oddly.engines.kernels.odd_kernel import OddState
from oddly.games.legal_turns import black_share as plain_black_share

if TYPE_CHECKING:
    from types import ModuleType

    from oddly.games import DropPosition, Game


KERNELS = {game: import_module(module) for game, module in KERNEL_MODULES.items()}
STATES = {GroupState: group_kernel, OddState: odd_kernel, AyuState: ayu_kernel}
"""The kernel of each type of state."""


def kernel_of(game: Game) -> ModuleType:
    """Return the module that plays `game`. Raises KeyError if it has no kernel."""
    return KERNELS[type(game)]


def new_state(game: Game) -> Any:
    """Return the starting position of `game` as a state."""
    return kernel_of(game).new_state(game)


def load(state: Any, position: DropPosition) -> None:
    """Put `position`, which may lie inside a turn, into `state`, made for the same game."""
    kernel_of(position.start.game).load(state, position)


def action_count(game: Game) -> int:
    """Return one more than the highest number of an action of `game`."""
    return game.action_count


def _by_state(name: str) -> Any:
    return by_state({state: getattr(kernel, name) for state, kernel in STATES.items()})


copy_state = _by_state("copy_state")
"""copy_state(target, source): make `target` equal to `source`."""

legal_actions = _by_state("legal_actions")
"""legal_actions(state, actions) -> how many legal actions it wrote to `actions` (int32)."""

safe_actions = _by_state("safe_actions")
"""safe_actions(state, actions) -> like legal_actions, without what surely loses at once.

At least one action is left where there is any.
"""

play_action = _by_state("play_action")
"""play_action(state, action): play a legal action; nothing is checked."""

play_through = _by_state("play_through")
"""play_through(state, action): like play_action, but may leave to `survey` what is needed only to
list or draw actions. Until then `is_over` sees only a repetition, and only functions that change
the position may be called."""

survey = _by_state("survey")
"""survey(state): find what play_through left out. It does no harm where that is nothing."""

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
numbers.py). For each action made, except passes and ends, marks[action] = stamp (`marks`:
int32, shape (action_count,)).
"""

rollout = _by_state("rollout")
"""rollout(state, random, marks, stamp, plies, worth, best_of) -> Black's reward, or an estimate.

Like a playout, but a kernel that has an evaluation stops after `plies` actions and returns it, and
a finished game may count by its lead: see `chance` in `numbers.py` on `worth`, 0 for wins alone. A
kernel that has a policy plays the best of `best_of` random actions each time.
"""


NO_SECOND = -1
"""In place of a second action, where a turn has only one."""


@compiled
def legal_turns(state, scratch, firsts, seconds, turns):  # type: ignore[no-untyped-def]
    """Write the legal turns to `turns` as far as there is room, and return how many there are.

    `turns`: int32, shape (room, 2): the actions of each. A pair of drops is written once, the lower
    number first. `scratch` is a state of the same game, `firsts` and `seconds` are for lists of
    actions: int32, shape (action_count,). From inside a turn these are the ways to end it.
    """
    count = 0
    side = side_to_move(state)
    for place in range(legal_actions(state, firsts)):
        first = firsts[place]
        copy_state(scratch, state)
        play_action(scratch, first)
        if is_over(scratch) or side_to_move(scratch) != side:
            count = _listed(turns, count, first, NO_SECOND)
            continue
        for second in seconds[: legal_actions(scratch, seconds)]:
            # The end of a turn has the highest number of all.
            if second > first:
                count = _listed(turns, count, first, second)
    return count


@compiled
def _listed(turns, count, first, second):  # type: ignore[no-untyped-def]
    if count < len(turns):
        turns[count, 0], turns[count, 1] = first, second
    return count + 1


@compiled
def random_walk(state, random, actions, choices, sides):  # type: ignore[no-untyped-def]
    """Play uniformly random legal actions to the end, and return how many there were.

    Before each, `choices` (int32) gets the number of legal actions and `sides` (int8) the side to
    move; the walk stops where these are full. `actions` is for a list: int32, (action_count,).
    """
    length = 0
    number = random[0]
    while length < len(choices) and not is_over(state):
        count = legal_actions(state, actions)
        choices[length] = count
        sides[length] = side_to_move(state)
        number = advance(number)
        play_action(state, actions[below(number, count)])
        length += 1
    random[0] = number
    return length


@compiled
def next_hashes(state, scratch, actions, hashes, ended):  # type: ignore[no-untyped-def]
    """Hash the position after each legal action and note whether the game is over there.

    Return the number of legal actions. `actions` (int32), `hashes` (uint64) and `ended` (bool) have
    shape (action_count,); `scratch` is a state of the same game.
    """
    count = legal_actions(state, actions)
    for place in range(count):
        copy_state(scratch, state)
        play_action(scratch, actions[place])
        hashes[place] = position_hash(scratch)
        ended[place] = is_over(scratch)
    return count


def black_share(position: DropPosition, playouts: int, seed: int) -> float:
    """Return Black's share of the points, 0 to 1, in `playouts` random games from `position`."""
    game = position.start.game
    if not has_kernel(game):
        tell_of_plain_rules(game)
        return plain_black_share(position, playouts, seed)
    start, state = new_state(game), new_state(game)
    random = generator(seed)
    load(start, position)
    warm("estimate", state, lambda: black_points(state, start, random.copy(), 1))
    return float(black_points(state, start, random, playouts)) / playouts


@compiled
def black_points(state, start, random, count):  # type: ignore[no-untyped-def]
    """Return Black's points in `count` playouts from `start`, played in the scratch `state`."""
    points = 0.0
    for _ in range(count):
        copy_state(state, start)
        points += playout(state, random, None, 0)
    return points
