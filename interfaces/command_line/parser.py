"""What the subcommands' arguments have in common, and errors of one sentence."""

from __future__ import annotations

import argparse
import re
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from games.catalogue import GAMES, create_game
from games.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.game import Game


class BadInputError(ValueError):
    """Something on the command line or in a file that cannot be used. One sentence."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence with the nearest right spelling."""

    words: Sequence[str] = ()
    """What will be parsed: an argument may call for others (an engine for its options)."""

    def error(self, message: str) -> NoReturn:
        """Raise BadInputError instead of printing the usage."""
        called = self.prog.removeprefix("oddly").strip()
        message = message.removeprefix("argument NAME: ")
        unknown = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if unknown:
            choices = re.findall(r"[\w-]+", unknown[2])
            what = "command" if not called else "value"
            message = (
                f"unknown {what} {unknown[1]!r}: expected one of {', '.join(choices)}"
                + did_you_mean(unknown[1], choices)
            )
        elif message.startswith("unrecognized arguments: "):
            first = message.removeprefix("unrecognized arguments: ").split(" ")[0]
            options = [option for action in self._actions for option in action.option_strings]
            message = f"unknown argument {first!r}{did_you_mean(first, options)}"
        elif message.startswith("the following arguments are required: COMMAND"):
            message = "a command is missing; 'oddly --help' lists them"
        raise BadInputError(f"{called}: {message}" if called else message)


def parse(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """Parse all words; an argument too many is reported by the subcommand's own parser."""
    arguments, rest = parser.parse_known_args(words)
    if rest:
        getattr(arguments, "parser", parser).error(f"unrecognized arguments: {' '.join(rest)}")
    return arguments


def whole_number(text: str) -> int:
    """A whole number, 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"a whole number is expected, not {text!r}")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"a whole number from 1 is expected, not {text!r}")
    return int(text)


def add_game_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options that name a game: --game, --size, --board, --min-group, --pie."""
    group = parser.add_argument_group("game")
    group.add_argument("--game", required=required, metavar="GAME", help=", ".join(GAMES))
    group.add_argument(
        "--size",
        type=whole_number,
        metavar="N",
        help="cells per edge of a hexhex board, points per side of a square one",
    )
    group.add_argument("--board", metavar="SHAPE", help="hexhex or square (Odd)")
    group.add_argument(
        "--min-group", type=whole_number, metavar="N", help="stones in a group that counts (Odd)"
    )
    group.add_argument("--pie", action="store_true", help="with the pie rule (Ayu)")


def game_from(arguments: argparse.Namespace) -> Game:
    """The game that the arguments name. Raises GameError."""
    settings = {
        name: value
        for name, value in (
            ("board", arguments.board),
            ("min_group", arguments.min_group),
            ("pie", arguments.pie or None),
        )
        if value is not None
    }
    return create_game(arguments.game, arguments.size, settings)


def version_text() -> str:
    """`oddly 0.1.0`."""
    return f"oddly {version('oddly')}"
