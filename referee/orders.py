"""The commands that set up a game in an engine, and play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.settings import setting_text
from oddly.games.untrusted_text import one_line
from oddly.protocol.messages import Command

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from oddly.games.game import Game
    from oddly.protocol.time_control import TimeControl


COLOUR_WORDS = {colour: str(colour) for colour in Colour}
EVALUATION = "last_evaluation"


def setting_up(
    game: Game,
    time: TimeControl,
    options: Mapping[str, str],
    known: Container[str],
    opponent: tuple[str, TimeControl] | None = None,
) -> list[Command]:
    """Return the orders that set up `game`, as far as the engine knows them, and the options.

    An engine may receive the name and the clock of its `opponent`.
    """
    settings = [word for name, v in game.settings.items() for word in (name, setting_text(v))]
    orders = [
        Command("set_game", (game.name, *settings)),
        Command("boardsize", (str(game.size),)),
        Command("clear_board"),
        Command("time_control", (str(time),)),
    ]
    if opponent is not None:
        name, clock = opponent
        words = one_line(name).replace("#", "").split()
        orders.append(Command("opponent", (str(clock), *words)))
    return [order for order in orders if order.name in known] + [
        Command("set_option", (name, *value.split())) for name, value in options.items()
    ]


def question(
    colour: Colour,
    last: tuple[Colour, str] | None,
    left: tuple[float, int] | None,
    opponents: tuple[float, int] | None,
    known: Container[str],
) -> list[str]:
    """Return the lines that ask for a turn: the opponent's last one, the clocks, and `genmove`."""
    side = COLOUR_WORDS[colour]
    lines = [f"play {COLOUR_WORDS[last[0]]} {last[1]}"] if last else []
    if "time_left" in known:
        if opponents is not None and "opponent" in known:
            lines.append(
                f"time_left {COLOUR_WORDS[colour.other]} {opponents[0]:.3f} {opponents[1]}"
            )
        if left is not None:
            lines.append(f"time_left {side} {left[0]:.3f} {left[1]}")
    lines.append(f"genmove {side}")
    if EVALUATION in known:
        lines.append(EVALUATION)
    return lines


def play_order(colour: Colour, turn: str) -> Command:
    """Return `play` with these arguments."""
    return Command("play", (str(colour), turn))
