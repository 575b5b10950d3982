"""Runs the subcommand that the command line names, and turns errors into exit codes."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, nullcontext, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from oddly.games import DiagramError, GameError, IllegalTurn
from oddly.interfaces.command_line.commands import PROGRAM
from oddly.interfaces.command_line.errors import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    BadInputError,
    sentence,
)
from oddly.protocol import NotationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SPELLINGS = {"help": "--help", "version": "--version"}
"""What many programs have as commands, and ours as options: `oddly help play`."""
COMPLETION_VARIABLE = "_ODDLY_COMPLETE"
"""The environment variable by which a shell asks for completions."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `oddly` with these words, by default those of the process; return the exit code."""
    if sys.platform == "win32":
        print("oddly runs on Linux and macOS; on Windows use WSL.", file=sys.stderr)
        return BAD_INPUT
    if instruction := os.environ.get(COMPLETION_VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(PROGRAM, {}, "oddly", COMPLETION_VARIABLE, instruction)
    words = list(sys.argv[1:] if words is None else words)
    _print_any_name()
    try:
        code = _run_until_interrupted(words)
        sys.stdout.flush()
    except click.UsageError as error:
        print(f"oddly: {sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    except (BadInputError, GameError, IllegalTurn, DiagramError, NotationError) as error:
        print(f"oddly: {error}", file=sys.stderr)
        if isinstance(error, NotationError):
            print(error.pointed(), file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader of our output has closed the pipe; Python would fail to write the rest there.
        with open(os.devnull, "wb") as nowhere, suppress(OSError):  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return DONE
    else:
        return code


def _print_any_name() -> None:
    """Keep a name that the terminal cannot show from costing a tournament's tables."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run_until_interrupted(words: Sequence[str]) -> int:
    """Run the subcommand; print a sentence on Ctrl-C unless the subcommand handles it.

    SIGTERM means the same, except for an engine, which its referee ends by SIGTERM.
    """
    try:
        with nullcontext() if "engine" in words[:1] else _sigterm_as_sigint():
            return _run(words)
    except* KeyboardInterrupt:
        print("oddly: interrupted", file=sys.stderr)
    return INTERRUPTED


def _run(words: Sequence[str]) -> int:
    """Run the subcommand; return its exit code."""
    if words and words[0] in SPELLINGS:
        words = [*words[1:], SPELLINGS[words[0]]]
    try:
        with PROGRAM.make_context("oddly", list(words)) as context:
            return int(PROGRAM.invoke(context))
    except click.exceptions.Exit as stop:
        # After --help or --version.
        return stop.exit_code


@contextmanager
def _sigterm_as_sigint() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
