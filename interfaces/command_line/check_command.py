"""`oddly check`: whether an engine keeps to the protocol, step by step."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
from typing import TYPE_CHECKING

import trio

from engines.catalogue import ENGINES
from interfaces.command_line.exit_codes import DONE, FORFEITS, INTERRUPTED
from interfaces.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    whole_number,
)
from referee.check.checker import check_engine
from referee.check.engine_under_test import CheckOptions
from referee.check.report import as_json, step_lines, summary
from referee.program import ProgramError, find_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from games.game import Game
    from referee.check.checker import CheckReport
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
    options = CheckOptions(
        games=arguments.games,
        time=arguments.time,
        timeout=arguments.timeout,
        seed=arguments.seed,
    )
    observer = silent if arguments.json else show
    report, reader_left = None, False
    try:
        report = trio.run(check_until_signal, command, game, options, observer)
    except* BrokenPipeError:
        reader_left = True
    if report is None:
        return DONE if reader_left else INTERRUPTED
    if arguments.json:
        print(json.dumps(as_json(report, arguments.command, str(game)), indent=2))
    else:
        print(summary(report))
    return FORFEITS if report.count("fail") else DONE


async def check_until_signal(
    command: Sequence[str],
    game: Game,
    options: CheckOptions,
    observer: Callable[[StepResult], None],
) -> CheckReport | None:
    """The report; None if Ctrl-C or SIGTERM came first. The engine is gone either way."""
    report = None
    async with trio.open_nursery() as nursery:
        await nursery.start(cancel_at_signal, nursery.cancel_scope)
        report = await check_engine(command, game, options, observer)
        nursery.cancel_scope.cancel()
    return report


async def cancel_at_signal(
    scope: trio.CancelScope,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Cancel `scope` on the first signal."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            scope.cancel()


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
