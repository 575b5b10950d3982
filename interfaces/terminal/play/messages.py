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


def side(colour: Colour) -> str:
    """Return a side as the board shows it: `Black (X)`."""
    return f"{str(colour).capitalize()} ({SYMBOLS[colour]})"


def whose_turn(scoresheet: Scoresheet) -> str:
    """Return the line above the prompt: turn, player, side, counts and advice."""
    current = scoresheet.current
    passed = "; two passes in a row end the game" if scoresheet.position.status.passes else ""
    return (
        f"Turn {len(current.turns) + 1}, {scoresheet.mover.name}, {side(current.to_move)}: "
        f"{counts_sentence(current)}{passed}."
    )


def ending(scoresheet: Scoresheet) -> str:
    """Return how the game ended and who won."""
    outcome = scoresheet.record().outcome
    how = f"{result_sentence(scoresheet.current)} {counts(scoresheet.current)}."
    if outcome.winner is None:
        return f"{how} Result: {outcome.score}"
    return f"{how} {scoresheet.participants[outcome.winner].name} wins: {outcome.score}"


def goal(game: Game) -> str:
    """Return the goal of the game in a few sentences."""
    return f"{game.goal}{_how_to_read(game.board)}"


def _how_to_read(board: Board) -> str:
    """Return how to read the coordinates of a hexhex board."""
    if board.shape == "square":
        return ""
    centre = board.vertices[len(board) // 2]
    return f" Columns run from their letter up to the right: the centre is {centre}."
