"""What a player reads in a terminal, and what a session asks its driver to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.games import SYMBOLS, did_you_mean
from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.human_play.sentences import counts, counts_sentence, result_sentence

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from oddly.games import Board, Colour, Game, Position, Vertex
    from oddly.interfaces.terminal.play.scoresheet import Scoresheet


COMMANDS = {
    "undo": "take back everything since your last turn, that turn included",
    "hint": "ask an engine what it would play for you",
    "legal": "where a drop would end the turn, or which pieces can move; legal Bc3, legal d4",
    "board": "draw the board again",
    "turns": "list the turns so far",
    "save": "save FILE writes the game: .jsonl, .sgf or .txt, as the name ends",
    "resign": "give the game up",
    "restart": "start the engine again after it failed, and let it play on",
    "help": "this list",
    "quit": "leave; the game is kept (so does Ctrl-D)",
}


def help_text(example: str) -> str:
    """Return an example of a turn, then one line for each command."""
    width = max(map(len, COMMANDS))
    lines = [f"A turn is typed as in {example}; Tab completes it.", "Besides turns there are"]
    return "\n".join(
        [*lines, *(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())]
    )


def nearest_command(word: str) -> str:
    """Return `; did you mean 'undo'?` if `word` resembles a command, `pass` or `swap`."""
    return did_you_mean(word, (*COMMANDS, "pass", "swap"))


def side(colour: Colour) -> str:
    """Return a side as the board shows it: `Black (X)`."""
    return f"{str(colour).capitalize()} ({SYMBOLS[colour]})"


def whose_turn(scoresheet: Scoresheet, spent: float = 0.0) -> str:
    """Return the line above the prompt: turn, player, side, time left, counts and advice."""
    current = scoresheet.current
    left = scoresheet.time_left()
    time = "" if left is None else f", {clock_text(left - spent)} left"
    passed = "; two passes in a row end the game" if scoresheet.position.status.passes else ""
    return (
        f"Turn {len(current.turns) + 1}, {scoresheet.mover.name}, {side(current.to_move)}{time}: "
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
    known = f" On this board {game.known_winner}." if game.known_winner else ""
    return f"{game.goal}{known}{_how_to_read(game.board)}"


def _how_to_read(board: Board) -> str:
    """Return how to read the coordinates of a hexhex board."""
    if board.shape == "square":
        return ""
    centre = board.vertices[len(board) // 2]
    return f" Columns run from their letter up to the right: the centre is {centre}."


@dataclass(frozen=True, slots=True)
class Say:
    """Show a text."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """Show a board with brackets around `marked` vertices and `notes` on empty ones."""

    position: Position
    marked: Collection[Vertex] = ()
    notes: Mapping[Vertex, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskEngine:
    """Ask the engine to move for a turn, then call `played` or `failed`."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """Ask the adviser for a turn, then call `hinted` or `no_hint`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Save the game after a change."""


@dataclass(frozen=True, slots=True)
class Save:
    """Write the game to a new file, whose name tells the format."""

    path: Path


@dataclass(frozen=True, slots=True)
class Leave:
    """End the session."""


Request = Say | ShowBoard | AskEngine | AskHint | Keep | Save | Leave
