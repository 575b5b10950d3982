"""A position on the command line: turns from the start of a game, or a diagram in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from games.diagram import read
from interfaces.command_line.parser import BadInputError, game_from
from interfaces.command_line.turns import play_turns
from protocol.errors import NotationError
from protocol.notation import parse_turn

if TYPE_CHECKING:
    import argparse

    from games.game import Position


def add_position_argument(parser: argparse.ArgumentParser) -> None:
    """A diagram's file or turns, as trailing words."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="DIAGRAM | TURN",
        help="a file with a diagram as 'oddly show' draws it (- for standard input), "
        "or turns from the start: Bc3 Bd4,We2 pass d4-d5",
    )


def position_from(arguments: argparse.Namespace, command: str) -> Position:
    """The position of the diagram, or after the turns.

    Raises BadInputError, DiagramError, GameError or NotationError; `command` is who complains.
    """
    words = arguments.words
    if not names_a_diagram(words):
        return play_turns(game_from(arguments), words)
    text = _read_text(words[0], command)
    if arguments.size is None:
        arguments.size = _size_of(arguments, text)
    return read(game_from(arguments), text)


def names_a_diagram(words: list[str]) -> bool:
    """Whether the words are the name of a diagram's file and not turns."""
    return len(words) == 1 and not _is_turn(words[0])


def _is_turn(word: str) -> bool:
    try:
        parse_turn(word)
    except NotationError:
        return False
    return True


def _read_text(name: str, command: str) -> str:
    """What the file `name` holds, or standard input for `-`."""
    try:
        if name == "-":
            return sys.stdin.read()
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"{command}: {name!r} is no turn, and no file to read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise BadInputError(f"{command}: {name} is not UTF-8 text") from None


def _size_of(arguments: argparse.Namespace, text: str) -> int:
    """The size of the board in a diagram, by the number of its rows."""
    rows = sum(1 for line in text.splitlines() if {".", "X", "O"} & set(line.split()))
    board = game_from(arguments).board
    return (rows + 1) // 2 if board.shape == "hexhex" else rows
