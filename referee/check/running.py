"""Checking an engine from a program that is not one of trio's."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import trio

from oddly.referee.check.checker import check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.program import ProgramError, find_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games.game import Game
    from oddly.referee.check.checker import CheckReport
    from oddly.referee.check.step import StepResult


def run_check(
    command: str,
    game: Game,
    options: CheckOptions | None = None,
    observer: Callable[[StepResult], None] | None = None,
) -> CheckReport:
    """Check the engine behind a command line step by step and return the report.

    `observer` receives the result of each step when it is done. Raises ProgramError if there is no
    such program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProgramError(str(error)) from None
    program, every = find_program(words), observer or (lambda _: None)
    return trio.run(check_engine, program, game, options or CheckOptions(), every)
