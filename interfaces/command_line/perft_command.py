"""`oddly perft`: how many legal sequences there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.perft import perft
from interfaces.command_line.parser import add_game_arguments, game_from, positive
from interfaces.command_line.turns import add_turns_argument, play_turns

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_arguments(parser)
    parser.add_argument("--depth", type=positive, required=True, metavar="N", help="1 or more")
    parser.add_argument("--by", choices=("turn", "drop"), default="turn", help="what to count")
    add_turns_argument(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line, `depth count`, for each depth from 1."""
    position = play_turns(game_from(arguments), arguments.turns)
    for depth in range(1, arguments.depth + 1):
        print(depth, perft(position, depth, arguments.by)[-1], flush=True)
    return 0
