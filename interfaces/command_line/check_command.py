"""`oddly check`: whether an engine follows the protocol, step by step."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from oddly.interfaces.command_line.command import SOME_SECONDS, WHOLE_NUMBER, OneOf, command
from oddly.interfaces.command_line.common_options import JSON, NamedGame
from oddly.interfaces.command_line.declaring import WrittenFile, argument, flag, option
from oddly.interfaces.command_line.errors import (
    BadInputError,
    ExitCode,
    nearest_engine,
    refusing,
    say,
)
from oddly.referee import CheckOptions, ProgramError, check_engine, find_program
from oddly.referee.bridge.presence import remote_address
from oddly.referee.check.checker import as_json as facts
from oddly.referee.check.checker import certificate, step_lines, summary
from oddly.referee.program.configuration import Isolation, Resources, split_words
from oddly.referee.program.isolation import IsolationError, is_isolated
from oddly.safe_files import replace_file, try_to_write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games import Game
    from oddly.referee import CheckReport, StepResult


HOW_ISOLATED = tuple(each.value for each in Isolation)
CERTIFICATE = re.compile(rb'\s*(\{\s*"certificate":|\Z)')
"""How a certificate begins, or a file without content."""
CANNOT_WRITE = "check: argument --certify: cannot write {}"


@command('check "oddly engine greedy" --game odd')
def run(
    command_line: str = argument("CMD", "the engine's command line, in quotes"),
    *,
    game: NamedGame,
    games: int = option(
        "N", "games against random turns, each judged by the rules", kind=WHOLE_NUMBER, default=4
    ),
    time: float = option("SECONDS", "the fixed time for a turn", kind=SOME_SECONDS, default=1.0),
    timeout: float = option(
        "SECONDS",
        "how long to wait for a reply, the first included",
        kind=SOME_SECONDS,
        default=10.0,
    ),
    setup_limit: float = option(
        "SECONDS",
        "how long the first setting up of a game or a board may take",
        kind=SOME_SECONDS,
        default=300.0,
    ),
    budget: float = option(
        "SECONDS",
        "after which a slow engine gets only each step's core; it ends at 5 times that or 300 s",
        kind=SOME_SECONDS,
        default=60.0,
    ),
    seed: int = option("N", "decides the turns that the check plays", kind=WHOLE_NUMBER, default=0),
    isolation: str = option(
        "HOW",
        f"how the engine is isolated in one game, as in a match: {', '.join(HOW_ISOLATED)}",
        kind=OneOf(*HOW_ISOLATED),
        default=Isolation.AUTO.value,
    ),
    until_failure: bool = flag("stop at the first step that fails"),
    certify: Path | None = option(
        "FILE",
        "also write the result to FILE, as one JSON object",
        kind=WrittenFile("a certificate goes"),
    ),
    as_json: bool = JSON,
) -> int:
    """Check the engine; the exit code is 1 if a step failed."""
    played = game.create()
    engine = command_from(command_line)
    if certify:
        check_writable(certify)
    options = CheckOptions(
        games=games,
        time=time,
        timeout=timeout,
        setup_limit=setup_limit,
        budget=budget,
        seed=seed,
        until_failure=until_failure,
        isolation=Isolation(isolation),
        # As in a match, our own end of a bridge keeps its network.
        network=remote_address(engine) is not None,
    )
    check_isolation(options.isolation)

    def show(result: StepResult) -> None:
        if not as_json:
            print(step_lines(result), flush=True)

    report, reader_left = None, False
    try:
        report = trio.run(check_until_signal, engine, played, options, show)
    except* BrokenPipeError:
        reader_left = True
    if report is None:
        return ExitCode.READER_LEFT if reader_left else ExitCode.INTERRUPTED
    if as_json:
        print(json.dumps(facts(report, command_line, str(played)), indent=2))
    else:
        print(summary(report))
    # Written last, so that a full disk does not lose the result.
    if certify:
        write_certificate(certify, certificate(report, command_line, played))
    return ExitCode.FORFEITS if report.count("fail") else ExitCode.DONE


def check_isolation(isolation: Isolation) -> None:
    """Raise BadInputError if the engine must be isolated and cannot."""
    with refusing(IsolationError, where="check: argument --isolation"):
        is_isolated(Resources(isolation=isolation))


def check_writable(path: Path) -> None:
    """Raise BadInputError if a certificate could not or should not be written; change nothing."""
    with refusing(OSError, where=CANNOT_WRITE.format(path)):
        try_to_write(path)
        if path.is_file() and not CERTIFICATE.match(path.read_bytes()):
            raise BadInputError(
                f"check: argument --certify: {path} is no certificate: name a new file"
            )


def write_certificate(path: Path, content: dict[str, Any]) -> None:
    """Write a certificate. Raises BadInputError if it could not or should not be written."""
    # Another program may have made a file during the check.
    check_writable(path)
    with refusing(OSError, where=CANNOT_WRITE.format(path)):
        replace_file(path, json.dumps(content, indent=2) + "\n")


async def check_until_signal(
    command: Sequence[str],
    game: Game,
    options: CheckOptions,
    observer: Callable[[StepResult], None],
) -> CheckReport | None:
    """Return the report, or None after Ctrl-C or SIGTERM. The engine is stopped either way."""
    report = None
    async with trio.open_nursery() as nursery:
        await nursery.start(cancel_at_signal, nursery.cancel_scope)
        report = await check_engine(command, game, options, observer, say)
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


def command_from(text: str, called: str = "check") -> tuple[str, ...]:
    """Return the words of an engine's command line.

    Raises BadInputError, in the name of the subcommand `called`, if there is no such program.
    """
    with refusing(ProgramError, where=f"{called}: engine {text!r}", hint=nearest_engine(text)):
        return find_program(split_words(text))
