"""How fast environments are: `python -m benchmarks.environments`.

Uniformly random games, in one thread, by the time of the processor that this thread used. For each
board it prints the actions a second that a `BatchEnvironment` steps, with observations, masks and
rewards, and those with the drawing of the actions; then the microseconds of a ply as PettingZoo
plays it, where that is installed, beside PettingZoo's own tic-tac-toe. Where pgx is installed, its
Hex is stepped in the same way, with drawing, by the time of all its threads; where OpenSpiel is,
random games of its Hex are played from Python, one action at a time. The last line is the plain
Python loop of `unit.py`, for other machines.
"""

from __future__ import annotations

from argparse import ArgumentParser
from importlib.util import find_spec
from random import Random
from time import process_time, thread_time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.unit import unit
from oddly.games import create_game
from oddly.learning import BatchEnvironment, aec_env

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games import Game

BOARDS = (("odd", 5), ("yodd", 5), ("xodd", 6), ("ayu", 9))
GAMES = 512
WARMING = 30
"""Steps before the clock runs, so that games are at all stages."""
PLIES = 2000


def main() -> None:
    """Measure every board and print a line for each."""
    parser = ArgumentParser(description="How fast environments are.")
    parser.add_argument("--steps", type=int, default=400, help="of all games of a board")
    steps = parser.parse_args().steps
    print(f"{'board':<10}{'steps/s':>12}{'with drawing':>14}{'bytes a game':>14}{'AEC, us':>9}")
    for name, size in BOARDS:
        game = create_game(name, size)
        stepping, drawing, size_of_one = batch_costs(game, steps)
        slow = f"{1e6 * aec_cost(lambda g=game: aec_env(g)):.0f}" if has_pettingzoo() else "-"
        print(
            f"{name + ' ' + str(size):<10}{1 / stepping:>12,.0f}{1 / (stepping + drawing):>14,.0f}"
            f"{size_of_one:>14,}{slow:>9}"
        )
    if has_pettingzoo() and find_spec("pygame"):
        from pettingzoo.classic import tictactoe_v3

        print(f"PettingZoo's tic-tac-toe: {1e6 * aec_cost(tictactoe_v3.env):.0f} us")
    if find_spec("pgx"):
        print(f"pgx's Hex, 11x11: {pgx_rate(steps // 4):,.0f} steps/s with drawing")
    if find_spec("pyspiel"):
        print(f"OpenSpiel's Hex, 11x11: {open_spiel_rate():,.0f} steps/s with drawing")
    print(f"unit: {unit():.2f} s")


def has_pettingzoo() -> bool:
    """Return whether PettingZoo is installed."""
    return find_spec("pettingzoo") is not None


def batch_costs(game: Game, steps: int) -> tuple[float, float, int]:
    """Return the seconds of an action and of drawing one, and the bytes of a game."""
    batch = BatchEnvironment(game, GAMES, seed=1)
    for _ in range(WARMING):
        batch.step(batch.random_actions())
    stepping = drawing = 0.0
    for _ in range(steps):
        began = thread_time()
        actions = batch.random_actions()
        drawn = thread_time()
        batch.step(actions)
        stepping += thread_time() - drawn
        drawing += drawn - began
    return stepping / (steps * GAMES), drawing / (steps * GAMES), batch.nbytes // GAMES


def aec_cost(make: Callable[[], Any]) -> float:
    """Return the seconds of a ply in random games of an AEC environment."""
    random, env, plies = Random(1), make(), 0
    began = thread_time()
    while plies < PLIES:
        env.reset(seed=1)
        for _ in env.agent_iter():
            seen, _, ended, _, _ = env.last()
            action = None if ended else random.choice(np.flatnonzero(seen["action_mask"]))
            env.step(action)
            plies += action is not None
    return (thread_time() - began) / plies


def pgx_rate(steps: int) -> float:
    """Return the actions a second of pgx's Hex, with its observations, masks and drawing."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("hex")
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def one_step(state: pgx.State, key: jax.Array) -> pgx.State:
        drawing, stepping = jax.random.split(key)
        actions = jax.random.categorical(drawing, jax.numpy.log(state.legal_action_mask))
        return step(state, actions, jax.random.split(stepping, GAMES))

    keys = jax.random.split(jax.random.key(1), WARMING + steps)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(2), GAMES))
    began = 0.0
    for number, key in enumerate(keys):
        if number == WARMING:
            began = process_time()
        state = one_step(state, key)
        jax.block_until_ready(state)
    return steps * GAMES / (process_time() - began)


def open_spiel_rate() -> float:
    """Return the actions a second of OpenSpiel's Hex in Python: what is legal, and one of it."""
    import pyspiel

    random, game, plies = Random(1), pyspiel.load_game("hex(board_size=11)"), 0
    began = thread_time()
    while plies < 10 * PLIES:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            plies += 1
    return plies / (thread_time() - began)


if __name__ == "__main__":
    main()
