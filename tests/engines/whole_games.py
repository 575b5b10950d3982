"""A program that uses kernels, search and solver as hard as it can, and fails if one of them does.

    python -m tests.engines.whole_games yodd 5 --games 1000 --threads 4

plays games of the engine `rave` against itself in one process. Run with NUMBA_BOUNDSCHECK=1, it
ends with exit code 1 at the first access outside an array; the machine code with these checks has
a cache of its own. MALLOC_CHECK_=3 and MALLOC_PERTURB_=165 make glibc look after the rest.
"""

import argparse
import random

import numpy as np

from oddly.engines.catalogue import create_engine
from oddly.engines.kernels.interface import (
    action_count,
    black_share,
    legal_turns,
    load,
    new_state,
    next_hashes,
    random_walk,
)
from oddly.engines.kernels.numbers import generator
from oddly.engines.solver.solve import Solver
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn


def play_games(game, games: int, threads: int, simulations: int, memory: int) -> None:
    """Play games of `rave` against itself, each with another seed."""
    engine = create_engine("rave")
    options = {"threads": threads, "simulations": simulations, "memory": memory}
    for name, value in options.items():
        engine.set_option(name, str(value))
    engine.prepare(game)
    for number in range(games):
        engine.set_option("seed", str(number))
        engine.new_game()
        position = game.start()
        while not position.is_over:
            position = position.play(engine.choose(position))


def use_kernel(game, seed: int) -> None:
    """Call each function of the kernel, from random positions of one game."""
    choice = random.Random(seed)
    position = game.start()
    room = action_count(game)
    state, scratch = new_state(game), new_state(game)
    actions, more = np.zeros(room, np.int32), np.zeros(room, np.int32)
    hashes, ended = np.zeros(room, np.uint64), np.zeros(room, np.bool_)
    turns = np.zeros((50, 2), np.int32)
    choices, sides = np.zeros(2000, np.int32), np.zeros(2000, np.int8)
    numbers = generator(seed)
    while not position.is_over:
        if choice.random() < 0.1:
            at = DropPosition(position)
            load(state, at)
            next_hashes(state, scratch, actions, hashes, ended)
            legal_turns(state, scratch, actions, more, turns)
            random_walk(state, numbers, actions, choices, sides)
            black_share(at, 20, seed)
        position = position.play(random_turn(position, choice))


def use_solver(game, seed: int) -> None:
    """Solve positions of one random game, as far as a few nodes go."""
    choice = random.Random(seed)
    solver = Solver(game, 1 << 12)
    position = game.start()
    while not position.is_over:
        if choice.random() < 0.2:
            solver.solve(DropPosition(position), node_limit=2000)
        position = position.play(random_turn(position, choice))


def main() -> None:
    parser = argparse.ArgumentParser(description="Play whole games; fail if anything does.")
    parser.add_argument("game")
    parser.add_argument("size", type=int)
    parser.add_argument("--board")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--memory", type=int, default=8)
    arguments = parser.parse_args()
    settings = {"board": arguments.board} if arguments.board else {}
    game = create_game(arguments.game, arguments.size, settings)
    for seed in range(min(arguments.games, 5)):
        use_kernel(game, seed)
        use_solver(game, seed)
    options = arguments.threads, arguments.simulations, arguments.memory
    play_games(game, arguments.games, *options)
    print(f"{game}: {arguments.games} games with {arguments.threads} threads")


if __name__ == "__main__":
    main()
