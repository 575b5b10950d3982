"""A position on the command line: turns from the start of a game, or a diagram in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import IllegalTurn, read
from oddly.interfaces.command_line.command import argument
from oddly.interfaces.command_line.errors import BadInputError
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games import Board, Game, Position
    from oddly.interfaces.command_line.game_options import GameOptions


position_argument = argument(
    "words",
    nargs=-1,
    metavar="[DIAGRAM | TURN...]",
    help="a file with a diagram as 'oddly show' draws it (- for standard input), "
    "or turns from the start: Bc3 Bd4,We2 pass d4-d5",
)
"""A diagram's file or turns, as trailing words."""


def position_from(options: GameOptions, words: Sequence[str], called: str) -> Position:
    """Return the position of the diagram, or after the turns.

    Raises BadInputError in the name of the subcommand `called`, DiagramError, GameError or
    NotationError.
    """
    if not names_a_diagram(words):
        return play_turns(options.create(), words)
    text = _read_text(words[0], called)
    if options.size is None:
        options = options.sized(_size_of(options.create().board, text))
    return read(options.create(), text)


def names_a_diagram(words: Sequence[str]) -> bool:
    """Return whether the words name a file with a diagram, and are not turns."""
    return len(words) == 1 and not _is_turn(words[0])


def _is_turn(word: str) -> bool:
    try:
        parse_turn(word)
    except NotationError:
        return False
    return True


def _read_text(name: str, called: str) -> str:
    """Return the text of the file `name`, or of standard input for `-`."""
    try:
        if name == "-":
            return sys.stdin.read()
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"{called}: {name!r} is neither a turn nor a file that can be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise BadInputError(f"{called}: {name} is not UTF-8 text") from None


def _size_of(board: Board, text: str) -> int:
    """Return the size of the board in a diagram, from the number of its rows."""
    rows = sum(1 for line in text.splitlines() if {".", "X", "O"} & set(line.split()))
    return (rows + 1) // 2 if board.shape == "hexhex" else rows


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
