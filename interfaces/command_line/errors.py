"""The one sentence that reports a wrong command line, the exit codes, and hints that commands give.

The hints name a ledger or an engine that was meant, a missing package, our own program, or a game
already solved.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oddly.engines import ENGINES
from oddly.games import did_you_mean, install_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oddly.games import Game


class BadInputError(ValueError):
    """Something on the command line or in a file cannot be used. The message is one sentence."""


class UnknownValueError(click.BadParameter):
    """A value is not one of those expected."""

    def __init__(self, kind: str, value: str, expected: Iterable[str]) -> None:
        words = list(expected)
        super().__init__(
            f"unknown {kind} {value!r}: expected one of {', '.join(words)}"
            f"{did_you_mean(value, words)}"
        )


class UnknownArgumentError(click.UsageError):
    """A word of the command line has no meaning, or one is missing."""


def sentence(error: click.UsageError) -> str:
    """Return what is wrong with the command line, preceded by the name of the subcommand."""
    called = "" if error.ctx is None else error.ctx.command_path.removeprefix("oddly").strip()
    message = _message(error)
    return f"{called}: {message}" if called else message


def _message(error: click.UsageError) -> str:
    match error:
        case click.NoSuchOption():
            return f"unknown argument {error.option_name!r}" + did_you_mean(
                error.option_name, _options(error.ctx)
            )
        case click.MissingParameter():
            missing = f"the following arguments are required: {', '.join(_missing(error.ctx))}"
            return missing if error.ctx is None else f"{missing}; {see_help(error.ctx)}"
        case click.BadOptionUsage():
            takes_one = "--" in error.message and "requires an argument" in error.message
            wanted = "one argument is expected" if takes_one else "no value is expected"
            return f"argument {error.option_name}: {wanted}"
        case UnknownValueError():
            return error.message
        case click.BadParameter() if isinstance(error.param, click.Option):
            return f"argument {'/'.join(error.param.opts)}: {error.message}"
        case _:
            return error.message


def see_help(context: click.Context) -> str:
    """Return where the arguments of a command are explained."""
    return f"'{context.command_path} --help' explains them"


def _options(context: click.Context | None) -> list[str]:
    """Return every option of the subcommand."""
    if context is None:
        return []
    return [word for param in context.command.get_params(context) for word in param.opts]


def _missing(context: click.Context | None) -> list[str]:
    """Return the required arguments without a value; click processes those with a value first."""
    if context is None:
        return []
    return [
        "/".join(param.opts) if isinstance(param, click.Option) else param.human_readable_name
        for param in context.command.get_params(context)
        if param.required and context.params.get(param.name or "") is None
    ]


def say(sentence: str) -> None:
    """Print a sentence on standard error."""
    print(f"oddly: {sentence}", file=sys.stderr, flush=True)


@contextmanager
def refusing(*errors: type[Exception], where: str = "", hint: str = "") -> Iterator[None]:
    """Turn these errors into BadInputError: `where`, such as `merge`, the reason, and the hint.

    Of an OSError, the sentence has only the system's reason.
    """
    try:
        yield
    except errors as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BadInputError(f"{where}{': ' if where else ''}{reason}{hint}") from None


@contextmanager
def importing(command: str, user: str, extra: str) -> Iterator[None]:
    """Turn the failure of an import into BadInputError, which names the extra to install.

    `user` is what needs the packages: `a bot`.
    """
    try:
        yield
    except ImportError as error:
        raise BadInputError(
            f"{command}: {user} needs packages that are not installed ({error.name}); to install "
            f"them: {install_command(extra)}"
        ) from None


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    FORFEITS = 1
    """The work is done, but games were forfeited."""
    BAD_INPUT = 2
    """The input is wrong, which was found before the first game."""
    INTERRUPTED = 3
    NO_START = 4
    """The work is done, but an engine could not start."""
    READER_LEFT = 141
    """Who read the output left before the work was done. It is what a shell shows for SIGPIPE."""


def nearest_ledger(path: Path) -> str:
    """Return `; did you mean 'spring.sqlite'?` for a near miss beside `path`, else an empty string.

    For a path that exists, if only as a link that leads nowhere, the string is empty.
    """
    if os.path.lexists(path):
        return ""
    return did_you_mean(path.name, (other.name for other in path.parent.glob("*.sqlite")))


def nearest_engine(text: str) -> str:
    """Return `; did you mean 'oddly engine rave'?` if `text` is the name of our engine, else ''."""
    name = text.strip()
    return f"; did you mean 'oddly engine {name}'?" if name in ENGINES else ""


NAME = "oddly"


def own_name() -> str:
    """Return `oddly` if the shell finds this program by that name, else the path that was typed."""
    typed = Path(sys.argv[0])
    if typed.name != NAME:
        return NAME
    found = shutil.which(NAME)
    is_found = found is not None and typed.exists() and typed.samefile(found)
    return NAME if is_found else shlex.quote(sys.argv[0])


def tell_of_known_winners(games: Iterable[Game]) -> None:
    """Warn on standard error about games whose winner is proved."""
    for game in games:
        if game.known_winner:
            say(f"{game}: {game.known_winner}")
