"""What a player reads in a terminal, apart from the sentences of `human_play`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.diagram import SYMBOLS
from interfaces.human_play.sentences import counts, counts_sentence, result_sentence

if TYPE_CHECKING:
    from games.board import Board
    from games.colour import Colour
    from games.game import Game
    from interfaces.terminal.play.scoresheet import Scoresheet

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


def whose_turn(scoresheet: Scoresheet) -> str:
    """The line above the prompt: turn, player, side, counts, and what may be done."""
    current = scoresheet.current
    passed = "; two passes in a row end the game" if scoresheet.position.status.passes else ""
    return (
        f"Turn {len(current.turns) + 1}, {scoresheet.mover.name}, {side(current.to_move)}: "
        f"{counts_sentence(current)}{passed}."
    )


def ending(scoresheet: Scoresheet) -> str:
    """How the game ended, and for whom."""
    outcome = scoresheet.record().outcome
    how = f"{result_sentence(scoresheet.current)} {counts(scoresheet.current)}."
    if outcome.winner is None:
        return f"{how} Result: {outcome.score}"
    return f"{how} {scoresheet.participants[outcome.winner].name} wins: {outcome.score}"


def goal(game: Game) -> str:
    """The game in a few sentences, for whoever sits down to it."""
    return f"{_GOALS[game.name].format(**game.settings)}{_how_to_read(game.board)}"


def _how_to_read(board: Board) -> str:
    """How the coordinates of a hexhex board are read."""
    if board.shape == "square":
        return ""
    centre = board.vertices[len(board) // 2]
    return f" Columns run from their letter up to the right: the centre is {centre}."
