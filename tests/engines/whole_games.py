"""A program that uses kernels, search and solver as hard as it can, and fails if one of them does.

    python -m tests.engines.whole_games yodd 5 --games 1000 --threads 4

plays games of the engine `rave` against itself in one process. Run with NUMBA_BOUNDSCHECK=1, it
ends with exit code 1 at the first access outside an array; the machine code with these checks has
a cache of its own. MALLOC_CHECK_=3 and MALLOC_PERTURB_=165 make glibc look after the rest.
"""

import argparse
import random

import numpy as np

from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.numbers import generator
from oddly.engines.solver.solve import Solver
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from tests.engines.talking import engine_with


def play_games(game, games: int, threads: int, simulations: int, memory: int) -> None:
    """Play games of `rave` against itself, each with another seed."""
    engine = engine_with("rave", game, threads=threads, simulations=simulations, memory=memory)
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
    room = kernel.action_count(game)
    state, scratch = kernel.new_state(game), kernel.new_state(game)
    actions, more = np.zeros(room, np.int32), np.zeros(room, np.int32)
    hashes, ended = np.zeros(room, np.uint64), np.zeros(room, np.bool_)
    turns = np.zeros((50, 2), np.int32)
    choices, sides = np.zeros(2000, np.int32), np.zeros(2000, np.int8)
    numbers = generator(seed)
    while not position.is_over:
        if choice.random() < 0.1:
            at = DropPosition(position)
            kernel.load(state, at)
            kernel.next_hashes(state, scratch, actions, hashes, ended)
            kernel.legal_turns(state, scratch, actions, more, turns)
            kernel.random_walk(state, numbers, actions, choices, sides)
            kernel.black_share(at, 20, seed)
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
    for name, default in (("games", 1), ("threads", 1), ("simulations", 40), ("memory", 8)):
        parser.add_argument(f"--{name}", type=int, default=default)
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
