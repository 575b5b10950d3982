"""What a table says to the people at it: the counts of groups, their parity, what may be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.colour import Colour
from games.result import Ending

if TYPE_CHECKING:
    from interfaces.human_play.table import Table


def counts_sentence(table: Table) -> str:
    """The groups on the board and what that means now.

    `3 black + 2 white = 5, odd: you may end the turn`.
    """
    if table.is_over:
        return counts(table)
    return f"{counts(table)}: {_advice(table)}"


def counts(table: Table) -> str:
    """`3 black + 2 white = 5, odd`, in the words of the game."""
    black, white = table.group_counts
    if not table.has_drops:
        return f"{black} black {_units(black)}, {white} white {_units(white)}"
    total = black + white
    parity = "odd" if total % 2 else "even"
    threshold = table.game.settings.get("min_group", 1)
    at_least = "" if threshold == 1 else f" groups of {threshold} or more"
    return f"{black} black + {white} white = {total}{at_least}, {parity}"


def _units(number: int) -> str:
    return "unit" if number == 1 else "units"


def _advice(table: Table) -> str:
    """What the side to move may do now."""
    if not table.has_drops:
        if table.origin is None:
            return "choose a piece to move" + (", or swap" if table.can_swap else "")
        return f"choose where {table.origin} goes"
    if table.game.name == "odd":
        ahead = "Black" if table.group_counts.total % 2 else "White"
        now = "you may end the turn" if table.drops else "drop a stone of either colour"
        return f"good for {ahead}; {now}"
    if table.can_end:
        more = len(table.drops) < table.position.most_drops
        return "you may end the turn" + (", or drop another stone" if more else "")
    if table.drops:
        return _mending(table)
    if table.position.most_drops == 1:
        return "the first turn is one stone, of either colour"
    return "drop one stone or two, or pass" if table.can_pass else "drop one stone or two"


def _mending(table: Table) -> str:
    """How a turn that may not end yet could go on."""
    if len(table.drops) < table.position.most_drops and table.continuations:
        return "drop another stone to make it odd"
    flips = any(table.flip(drop.vertex).can_end for drop in table.drops)
    return "change the colour of a stone" if flips else "take a stone back"


def result_sentence(table: Table) -> str:
    """How the game ended; empty while it goes on."""
    if table.resigned is not None:
        loser = str(table.resigned).capitalize()
        return f"{str(table.resigned.other).capitalize()} wins: {loser} resigned."
    result = table.position.result
    if result is None:
        return ""
    if result.winner is None:
        return f"A draw: {result.ending.value}."
    winner = str(result.winner).capitalize()
    if result.ending is Ending.BOARD_FULL:
        parity = "an odd" if result.winner is Colour.BLACK else "an even"
        return f"{winner} wins: the board is full, with {parity} number of groups that count."
    if result.margin is None:
        return f"{winner} wins: {result.ending.value}."
    groups = "one group" if result.margin == 1 else f"{result.margin} groups"
    return f"{winner} wins by {groups}: {result.ending.value}."
