"""`oddly show`: the position after some turns, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.diagram import draw
from interfaces.command_line.command import command
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.game_options import game_options
from interfaces.command_line.turns import play_turns, turns_argument

if TYPE_CHECKING:
    from interfaces.command_line.game_options import GameOptions


@command()
@game_options()
@turns_argument
def run(game: GameOptions, turns: tuple[str, ...]) -> int:
    """Print the diagram."""
    print(draw(play_turns(game.create(), turns)))
    return DONE
