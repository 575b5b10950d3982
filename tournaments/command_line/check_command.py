"""`oddly check`: whether an engine keeps to the protocol, step by step."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import TYPE_CHECKING

from engines.catalogue import ENGINES
from referee.program import ProgramError, find_program
from tournaments.command_line.exit_codes import DONE, FORFEITS, INTERRUPTED
from tournaments.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    whole_number,
)

if TYPE_CHECKING:
    from referee.check.step import StepResult


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("command", metavar="CMD", help="the engine's command line, in quotes")
    add_game_arguments(parser)
    parser.add_argument(
        "--games",
        type=whole_number,
        default=4,
        metavar="N",
        help="games against random turns, each judged by the rules (default: %(default)s)",
    )
    parser.add_argument(
        "--time",
        type=some_seconds,
        default=1.0,
        metavar="SECONDS",
        help="the fixed time for a turn (default: %(default)g)",
    )
    parser.add_argument(
        "--timeout",
        type=some_seconds,
        default=10.0,
        metavar="SECONDS",
        help="how long to wait for a reply, the first included (default: %(default)g)",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="decides our turns (default: 0)"
    )
    parser.add_argument("--json", action="store_true", help="print all facts as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the engine; 1 if a step failed."""
    game = game_from(arguments)
    command = command_from(arguments.command)
    import trio

    from referee.check.bench import CheckOptions
    from referee.check.checker import check_engine
    from referee.check.report import as_json, summary

    options = CheckOptions(
        games=arguments.games,
        time=arguments.time,
        timeout=arguments.timeout,
        seed=arguments.seed,
    )
    observer = silent if arguments.json else show
    report, reader_left = None, False
    try:
        report = trio.run(check_engine, command, game, options, observer)
    except* KeyboardInterrupt:
        pass
    except* BrokenPipeError:
        reader_left = True
    if report is None:
        return DONE if reader_left else INTERRUPTED
    if arguments.json:
        print(json.dumps(as_json(report, arguments.command, str(game)), indent=2))
    else:
        print(summary(report))
    return FORFEITS if report.count("fail") else DONE


def command_from(text: str) -> tuple[str, ...]:
    """The words of an engine's command line. Raises BadInputError if there is no such program."""
    try:
        return find_program(shlex.split(text))
    except (ValueError, ProgramError) as error:
        hint = ""
        if text.strip() in ENGINES:
            hint = f"; did you mean 'oddly engine {text.strip()}'?"
        raise BadInputError(f"check: engine {text!r}: {error}{hint}") from None


def show(result: StepResult) -> None:
    """Print a step as it is done."""
    from referee.check.report import step_lines

    print(step_lines(result), flush=True)


def silent(_: StepResult) -> None:
    """Print nothing."""


def some_seconds(text: str) -> float:
    """A number of seconds above 0, in the notation of a fixed time control."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.001 <= value < 1e6:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is expected, not {text!r}")
    return value
