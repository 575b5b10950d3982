"""`oddly warm`: compile ahead what our engines compile on their first use."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

from engines.catalogue import ENGINES, create_engine
from engines.kernels.interface import new_state
from engines.kernels.jit import HAS_NUMBA, IS_INSTALLED
from engines.kernels.warm import WITHOUT_NUMBA, type_name
from games.catalogue import GAMES, create_game
from games.errors import GameError
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.parser import BadInputError, add_game_arguments, game_from

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from games.game import Game

COMPILED = [name for name, entry in ENGINES.items() if entry.is_compiled]
LARGEST_SIZE = 26


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_arguments(parser, required=False)
    parser.add_argument(
        "--engine",
        action="append",
        choices=COMPILED,
        help="an engine to compile for; several times for several (default: all of them)",
    )
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Compile, and print a line for each thing that is then ready."""
    named = named_games(arguments)
    if not HAS_NUMBA:
        disabled = "NUMBA_DISABLE_JIT is set, so there is nothing to compile"
        print(f"oddly: {disabled if IS_INSTALLED else WITHOUT_NUMBA}", file=sys.stderr)
        return DONE
    games = named if arguments.size else [each for game in named for each in one_of_each_type(game)]
    for name in arguments.engine or COMPILED:
        engine = create_engine(name)
        for game in games:
            began = perf_counter()
            try:
                engine.prepare(game)
                engine.wait_until_ready()
            except GameError as error:
                print(f"{name:<6}{game!s:<34}not: {error}", flush=True)
            else:
                print(f"{name:<6}{game!s:<34}{perf_counter() - began:6.1f} s", flush=True)
    return DONE


def named_games(arguments: argparse.Namespace) -> list[Game]:
    """The game that the arguments name, or all. Raises BadInputError or GameError."""
    if arguments.game is not None:
        return [game_from(arguments)]
    if any((arguments.size, arguments.board, arguments.min_group, arguments.pie)):
        raise BadInputError("warm: --size and a game's settings go with --game")
    return [create_game(name) for name in GAMES]


def one_of_each_type(game: Game) -> Iterator[Game]:
    """`game`, and itself on the first board for which machine code is another."""
    seen = set()
    for size in (game.size, *range(LARGEST_SIZE)):
        try:
            sized = create_game(game.name, size, game.settings)
        except GameError:
            continue
        kind = type_name(new_state(sized))
        if kind not in seen:
            seen.add(kind)
            yield sized
