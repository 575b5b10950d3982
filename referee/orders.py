"""The commands that bring an engine to the start of a game, and through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.settings import setting_text
from protocol.messages import Command

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from games.colour import Colour
    from games.game import Game
    from protocol.time_control import TimeControl


def setting_up(
    game: Game, time: TimeControl, options: Mapping[str, str], known: Container[str]
) -> list[Command]:
    """Return the orders that set up `game`, as far as the engine knows them, and the options."""
    settings = [word for name, v in game.settings.items() for word in (name, setting_text(v))]
    orders = [
        Command("set_game", (game.name, *settings)),
        Command("boardsize", (str(game.size),)),
        Command("clear_board"),
        Command("time_control", (str(time),)),
    ]
    return [order for order in orders if order.name in known] + [
        Command("set_option", (name, *value.split())) for name, value in options.items()
    ]


def play_order(colour: Colour, turn: str) -> Command:
    """Return `play` with these arguments."""
    return Command("play", (str(colour), turn))
