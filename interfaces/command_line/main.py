"""From the words after `oddly` to a subcommand, and from its errors to exit codes."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, nullcontext
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from games.errors import DiagramError, GameError, IllegalTurn
from interfaces.command_line.exit_codes import BAD_INPUT, DONE, INTERRUPTED
from interfaces.command_line.parser import BadInputError, Parser, parse, version_text
from protocol.errors import NotationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUBCOMMANDS = {
    "tournament": "play a tournament from a TOML file and print its tables",
    "standings": "print the tables of a tournament's ledger, also while it runs",
    "report": "write an HTML page about a ledger, with its games to be played through",
    "export": "write the games of a ledger as CSV, JSON Lines, SGF or lists of turns",
    "convert": "turn games from SGF, JSON Lines or lists of turns into another of these",
    "play": "play a game in the terminal, against an engine or another human",
    "match": "play two engines against each other and print a table",
    "check": "test step by step whether an engine keeps to the protocol",
    "serve": "show a tournament in the browser, and play there",
    "engine": "be one of our engines and speak the protocol on stdin and stdout",
    "bridge": "run an engine over TCP, in GoGui, or one that plays single drops",
    "replay": "judge a game again from its wire log",
    "show": "draw the position after some turns",
    "diagram": "draw a position, or a game at one of its turns, as SVG, PNG or text",
    "solve": "find out who wins a position with perfect play, and by which turn",
    "study": "find out how a game plays, from games that engines of ours play",
    "warm": "compile the kernels of our engines ahead of their first use",
    "bench": "measure how fast our kernels are on this machine",
    "ratings": "rate engines by the games they played, with error bars",
    "perft": "count legal sequences of turns or drops",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run `oddly`; its exit code."""
    if sys.platform == "win32":
        print("oddly runs on Linux and macOS; on Windows use WSL.", file=sys.stderr)
        return BAD_INPUT
    words = list(sys.argv[1:] if words is None else words)
    for stream in (sys.stdout, sys.stderr):
        # A name that a terminal cannot show is no reason to lose a tournament's tables.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run_until_interrupted(words)
    except (BadInputError, GameError, IllegalTurn, DiagramError, NotationError) as error:
        print(f"oddly: {error}", file=sys.stderr)
        if isinstance(error, NotationError):
            print(error.pointed(), file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        sys.stderr.close()
        return DONE


def _run_until_interrupted(words: Sequence[str]) -> int:
    """Run the subcommand; Ctrl-C, where it has no answer of its own, is one sentence.

    SIGTERM means the same, but for an engine, which whoever started it may end as he likes.
    """
    try:
        with nullcontext() if "engine" in words[:1] else _sigterm_as_sigint():
            arguments = parse(_parser(words), words)
            return int(arguments.run(arguments))
    except* KeyboardInterrupt:
        print("oddly: interrupted", file=sys.stderr)
    return INTERRUPTED


@contextmanager
def _sigterm_as_sigint() -> Iterator[None]:
    """Have SIGTERM do what Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser(words: Sequence[str]) -> Parser:
    """The parser, with the arguments of the one subcommand that is called filled in."""
    parser = Parser(prog="oddly", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=version_text())
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    called = next((word for word in words if not word.startswith("-")), None)
    for name, summary in SUBCOMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary + ".")
        if name == called:
            subparser.words = words
            import_module(f"interfaces.command_line.{name}_command").fill(subparser)
    return parser


DESCRIPTION = (
    "A match referee and engines for the odd-group games Yodd, Xodd, Odd and Ayu. "
    "'oddly COMMAND --help' tells more."
)
