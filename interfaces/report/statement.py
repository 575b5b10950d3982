"""What the groups on the board mean, in a sentence, by the rules of each game."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.game import Position


def statement(position: Position) -> str:
    """`3 black + 2 white = 5 groups, odd`; in Odd who is ahead, in Ayu the units."""
    black, white = position.group_counts
    total = black + white
    parity = "odd" if total % 2 else "even"
    match position.game.name:
        case "odd":
            least = position.game.settings["min_group"]
            side = "Black" if total % 2 else "White"
            verb = "wins" if position.is_over else "would win a full board"
            return (
                f"Groups of {least} or more: {black} black + {white} white = {total}, {parity}: "
                f"{side} {verb}"
            )
        case "ayu":
            return f"{black} black {_units(black)}, {white} white {_units(white)}"
        case _:
            if total == 0:
                return "No groups yet"
            groups = "group" if total == 1 else "groups"
            said = f"{black} black + {white} white = {total} {groups}, {parity}"
            if position.is_over:
                return f"{said}: {'Black' if black < white else 'White'} has fewer and wins"
            return said


def _units(number: int) -> str:
    return "unit" if number == 1 else "units"
