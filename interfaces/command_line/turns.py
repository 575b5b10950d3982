"""Turns given on the command line, played from the start of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.errors import IllegalTurn
from oddly.interfaces.command_line.command import argument
from oddly.interfaces.command_line.errors import BadInputError
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games.game import Game, Position

turns_argument = argument(
    "turns", nargs=-1, metavar="[TURN]...", help="turns from the start: Bc3 Bd4,We2 pass d4-d5"
)
"""The turns that lead to a position, as trailing words."""


def play_turns(game: Game, turns: Iterable[str]) -> Position:
    """Return the position after `turns`.

    Raises NotationError, or BadInputError for an illegal turn.
    """
    position = game.start()
    for number, text in enumerate(turns, start=1):
        try:
            position = position.play(parse_turn(text))
        except IllegalTurn as error:
            raise BadInputError(f"turn {number}, {text}, is illegal: {error.reason}") from None
    return position
