"""What a player in a terminal is told, around the sentences that every table says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.diagram import SYMBOLS
from interfaces.human_play.sentences import counts, counts_sentence, result_sentence

if TYPE_CHECKING:
    from games.board import Board
    from games.colour import Colour
    from games.game import Game
    from interfaces.terminal.play.history import History

EXAMPLES = {
    "yodd": "Bc3, Bc3,Wd4 or pass",
    "xodd": "Bc3, Bc3,Wd4 or pass",
    "odd": "Bc3 or Wc3",
    "ayu": "d4-d5",
}
"""Turns as one would type them, for those who mistyped one."""

_GROUPS_GOAL = (
    "A turn drops one or two stones of either colour (Bc3, or Bc3,Wd4) or passes, and must leave "
    "an odd number of groups. After two passes in a row, whoever has fewer groups wins."
)
_GOALS = {
    "yodd": _GROUPS_GOAL,
    "xodd": _GROUPS_GOAL,
    "odd": "A turn drops one stone of either colour (Bc3 or Wc3) until the board is full. Then "
    "Black wins with an odd number of groups of {min_group} stones or more, White with an even "
    "one.",
    "ayu": "A turn moves a piece (d4-d5) so that its unit gets closer to its closest friendly "
    "unit. Whoever is to move and cannot wins.",
}


def side(colour: Colour) -> str:
    """`Black (X)`, as the board shows it."""
    return f"{str(colour).capitalize()} ({SYMBOLS[colour]})"


def whose_turn(history: History) -> str:
    """The line above the prompt: turn, player, side, counts, and what may be done."""
    table = history.table
    passed = "; two passes in a row end the game" if history.position.status.passes else ""
    return (
        f"Turn {len(table.turns) + 1}, {history.mover.name}, {side(table.to_move)}: "
        f"{counts_sentence(table)}{passed}."
    )


def ending(history: History) -> str:
    """How the game ended, and for whom."""
    outcome = history.record().outcome
    how = f"{result_sentence(history.table)} {counts(history.table)}."
    if outcome.winner is None:
        return f"{how} Result: {outcome.score}"
    return f"{how} {history.seats[outcome.winner].name} wins: {outcome.score}"


def goal(game: Game) -> str:
    """The game in a few sentences, for whoever sits down to it."""
    return f"{_GOALS[game.name].format(**game.settings)}{_how_to_read(game.board)}"


def _how_to_read(board: Board) -> str:
    """How the coordinates of a hexhex board are read."""
    if board.shape == "square":
        return ""
    centre = board.vertices[len(board) // 2]
    return f" Columns run from their letter up to the right: the centre is {centre}."
