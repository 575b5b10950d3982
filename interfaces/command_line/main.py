"""The command `oddly`: imports and runs a subcommand, and turns errors into exit codes."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, nullcontext, suppress
from errno import EMFILE, ENOSPC
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from oddly.games import VERSION, DiagramError, GameError, IllegalTurn, did_you_mean
from oddly.games.untrusted_text import xml_text
from oddly.interfaces.command_line import completing
from oddly.interfaces.command_line.command import HELP, WIDTH, Subcommand
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    UnknownArgumentError,
    say,
    sentence,
)
from oddly.protocol import NotationError

if sys.platform != "win32":
    # Not where it is needed: without a descriptor, nothing can be imported.
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from click.shell_completion import CompletionItem


SPELLINGS = {"help": "--help", "version": "--version"}
"""Words that are commands in many programs and options in ours: `oddly help play`."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `oddly` with these words, by default those of the process; return the exit code."""
    if sys.platform == "win32":
        print("oddly runs on Linux and macOS; on Windows use WSL.", file=sys.stderr)
        return ExitCode.BAD_INPUT
    if instruction := os.environ.get(completing.VARIABLE):
        return completing.answer(PROGRAM, instruction)
    words = list(sys.argv[1:] if words is None else words)
    _print_any_name()
    code: int = ExitCode.READER_LEFT
    try:
        code = _run_until_interrupted(words)
        sys.stdout.flush()
    except click.UsageError as error:
        _complain(sentence(error))
        return ExitCode.BAD_INPUT
    except (BadInputError, GameError, IllegalTurn, DiagramError, NotationError) as error:
        _complain(str(error))
        if isinstance(error, NotationError) and (pointed := error.pointed()):
            print(pointed, file=sys.stderr)
        return ExitCode.BAD_INPUT
    except BrokenPipeError:
        _discard_output()
        return code
    except Exception as error:
        if not (lack := _lack(error)):
            raise
        _complain(lack)
        return ExitCode.BAD_INPUT
    else:
        return code


def _complain(text: str) -> None:
    """Print what is wrong; the name of a file may have control characters."""
    print("oddly:", "\n".join(map(xml_text, text.split("\n"))), file=sys.stderr)


def _lack(error: Exception) -> str:
    """Return in a sentence what the system lacks; empty if the error is of something else."""
    # An error of a file has its name: this one is of standard output.
    if _is_wholly(error, lambda each: each.errno == ENOSPC and each.filename is None):
        _discard_output()
        return f"cannot write standard output: {os.strerror(ENOSPC)}"
    if _is_wholly(error, lambda each: each.errno == EMFILE):
        granted, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return f"too many files are open: the system grants us {granted} (see ulimit -n)"
    return ""


def _is_wholly(error: Exception, is_such: Callable[[OSError], bool]) -> bool:
    """Return whether this is such an error of the system, or a group of only such errors."""
    if isinstance(error, ExceptionGroup):
        return all(_is_wholly(each, is_such) for each in error.exceptions)
    return isinstance(error, OSError) and is_such(error)


def _discard_output() -> None:
    """Write the rest of the output nowhere: Python would fail to write it at the end."""
    with open(os.devnull, "wb") as nowhere, suppress(OSError):  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _print_any_name() -> None:
    """Escape characters that the terminal cannot show, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run_until_interrupted(words: Sequence[str]) -> int:
    """Run the subcommand; print a sentence on Ctrl-C unless the subcommand handles it.

    SIGTERM and SIGHUP mean the same, except for an engine, which its referee stops with SIGTERM.
    """
    try:
        with nullcontext() if "engine" in words[:1] else _signals_as_ctrl_c():
            return _run(words)
    except* KeyboardInterrupt:
        say("interrupted")
    return ExitCode.INTERRUPTED


def _run(words: Sequence[str]) -> int:
    """Run the subcommand; return its exit code."""
    if words and words[0] in SPELLINGS:
        words = [*words[1:], SPELLINGS[words[0]]]
    try:
        with PROGRAM.make_context("oddly", list(words)) as context:
            return int(PROGRAM.invoke(context) or ExitCode.DONE)
    except click.exceptions.Exit as stop:
        # After --help or --version.
        return stop.exit_code


@contextmanager
def _signals_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM, and the SIGHUP of a closed terminal, do what Ctrl-C does.

    An ignored signal stays ignored, as SIGHUP does under nohup.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    heard = [number for number in before if before[number] is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


def _interrupt(*_: object) -> None:
    """Do what Ctrl-C does, even in a background job that the shell makes ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals come after an import, within which Python may lose Ctrl-C."""
    held = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


GROUPS = {
    "Play engines against each other": {
        "match": "play two engines against each other and print a table",
        "tournament": "play a tournament from a TOML file and print its tables",
        "demo": "watch our engines play all four games, in about 15 seconds",
        "tune": "find the best values of an engine's options by playing games",
        "train": "train our search by self-play: it learns which actions are promising",
    },
    "Look at the results": {
        "standings": "print the tables of a tournament's ledger, even while it runs",
        "ratings": "compute ratings from games, with error bars",
        "rule": "annul games, retire or pardon engines, on record and with a reason",
        "verify": "check a ledger: its file, its chain, and every game by the rules",
        "salvage": "save the sound games of a damaged ledger in a new one",
        "merge": "join ledgers of several machines into a new one",
        "report": "write an HTML page about a ledger, with a board that replays its games",
        "export": "write the games of a ledger as CSV, JSON Lines, SGF or lists of turns",
        "convert": "convert games between SGF, JSON Lines, lists of turns and Abstract Play",
        "replay": "judge a game again from its wire log",
    },
    "Play yourself": {
        "play": "play a game in the terminal, against an engine or another person",
        "gogui": "play in GoGui: set it up for a game and an engine, and start it",
        "puzzle": "find the only turn that wins",
        "serve": "play, learn and analyse in the browser, and watch a tournament",
        "bot": "let engines play people as a public player on Abstract Play",
    },
    "Play in an arena": {
        "arena": "host an arena: engines dial in, play rated games, and are ranked for years",
    },
    "Run and write engines": {
        "engine": "run one of our engines: it speaks the protocol on stdin and stdout",
        "new-engine": "begin an engine of your own, in one of six languages",
        "check": "check step by step that an engine follows the protocol",
        "join": "let an engine of this machine play rated games at an arena",
        "bridge": "run an engine over TCP, in GoGui, or one that plays single drops",
        "warm": "compile our engines ahead of their first use",
        "bench": "measure how fast our kernels are on this machine",
    },
    "Examine games and positions": {
        "show": "draw the position after some turns, or show a recorded game",
        "diagram": "draw a position or a recorded game, as SVG, PNG or text",
        "solve": "find out who wins a position with perfect play, and by which turn",
        "database": "compute and store the value of every position of a small board",
        "study": "find out how a game plays, from games between our engines",
        "atlas": "set the studies of several boards side by side",
        "perft": "count legal sequences of turns or drops",
    },
    "Set up": {
        "doctor": "show what is installed, what is missing, and how to get it",
        "examples": "list ready tournament files and engines, and copy them",
        "completion": "print a script for your shell that completes commands, options and names",
    },
}
"""What each subcommand does, in the groups of `oddly --help`."""

SUMMARIES = {name: what for group in GROUPS.values() for name, what in group.items()}

TOGETHER = {
    "arena_commands": ("arena", "join"),
    "convert_commands": ("convert", "export"),
    "copying_commands": ("completion", "examples", "new-engine"),
    "engine_commands": ("engine", "gogui"),
    "ledger_commands": ("merge", "rule", "salvage", "verify"),
    "match_commands": ("demo", "match"),
    "position_commands": ("diagram", "perft", "show"),
    "preparing_commands": ("train", "warm"),
    "result_commands": ("replay", "report", "standings"),
    "solve_commands": ("database", "solve"),
    "study_commands": ("atlas", "study"),
    "tournament_commands": ("tournament", "tune"),
}
"""The files with several subcommands; each of the others has a file of its own."""

WHAT_IT_IS = "A match referee and engines for the odd-group games Yodd, Xodd, Odd and Ayu."
DESCRIPTION = f"{WHAT_IT_IS} 'oddly COMMAND --help' explains a command."


FIRST_STEPS = {
    "oddly demo": "watch our engines play all four games, in about 15 seconds",
    "oddly play --game yodd --size 4 --level 2": "play here, against a gentle opponent",
    "oddly serve": "play, learn and analyse in the browser",
    "oddly examples": "copy a ready tournament file, or an engine",
    "oddly new-engine python my-engine": "begin an engine of your own",
    "oddly doctor": "see what is installed, and what is missing",
}
"""What `oddly` without a subcommand suggests."""


def welcome() -> str:
    """Return what newcomers read when they type `oddly` alone."""
    width = max(map(len, FIRST_STEPS))
    steps = (f"  {words:<{width}}   {what}" for words, what in FIRST_STEPS.items())
    rest = "\n'oddly --help' lists all commands."
    return "\n".join([f"{WHAT_IT_IS}\n\nTry first:", *steps, rest])


def version_text() -> str:
    """Return the name and version of the program: `oddly 1.0.0`."""
    return f"oddly {VERSION}"


class Program(click.Group):
    """The command `oddly`, which has all subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the subcommand of that name; None if there is none."""
        if cmd_name not in SUMMARIES:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        file = next((file for file, names in TOGETHER.items() if cmd_name in names), None)
        with _signals_held():
            module = import_module(f"oddly.interfaces.command_line.{file or name}")
        found: Subcommand = getattr(module, name) if file else module.run
        summary = SUMMARIES[cmd_name]
        found.name, found.help = cmd_name, f"{summary[0].upper()}{summary[1:]}."
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that the first word names. Raises UnknownArgumentError if none."""
        if args[0] not in SUMMARIES and not ctx.resilient_parsing:
            near = did_you_mean(args[0], SUMMARIES) or "; 'oddly --help' lists them"
            raise UnknownArgumentError(f"unknown command {args[0]!r}{near}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands with their summaries, without importing any."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the subcommands and options that complete the word."""
        from click.shell_completion import CompletionItem

        return [
            *(
                CompletionItem(name, help=summary)
                for name, summary in SUMMARIES.items()
                if name.startswith(incomplete)
            ),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(version_text())
        context.exit()


@click.group(
    cls=Program,
    help=DESCRIPTION,
    invoke_without_command=True,
    no_args_is_help=False,
    subcommand_metavar="COMMAND ...",
    context_settings={**HELP, "max_content_width": WIDTH},
)
@click.option(
    "--version", "-V", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.pass_context
def PROGRAM(context: click.Context) -> None:  # noqa: N802 - it becomes a constant
    """Print what to try first if there is no subcommand."""
    if context.invoked_subcommand is None:
        click.echo(welcome())
        context.exit()
