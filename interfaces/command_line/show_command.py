"""`oddly show`: the position after some turns, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.diagram import draw
from interfaces.command_line.parser import add_game_arguments, game_from
from interfaces.command_line.turns import add_turns_argument, play_turns

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_arguments(parser)
    add_turns_argument(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the diagram."""
    print(draw(play_turns(game_from(arguments), arguments.turns)))
    return 0
