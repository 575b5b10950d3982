"""Checks one engine: every step in turn, with a fresh process after each that fails."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from oddly.referee.check.analysis_steps import ANALYSIS_STEPS
from oddly.referee.check.choosing_steps import CHOOSING_STEPS
from oddly.referee.check.conversation import Conversation, Failed, NoTime, Skipped
from oddly.referee.check.current_steps import CURRENT_STEPS
from oddly.referee.check.engine_under_test import CheckOptions, EngineUnderTest
from oddly.referee.check.game_steps import CLOCK_STEPS, GAME_STEPS, LAST_STEPS, game_steps
from oddly.referee.check.opinion_steps import OPINION_STEPS
from oddly.referee.check.past_steps import PASSING_STEPS, PAST_STEPS, PLAYING_STEPS
from oddly.referee.check.position_steps import (
    ASKING_STEPS,
    GAME_SETTING_STEPS,
    NAMING_STEPS,
    NOTATION_STEPS,
    UNDO_STEPS,
)
from oddly.referee.check.rule_steps import (
    BOARD_STEPS,
    REPETITION_STEPS,
    TURN_STEPS,
    illegal_steps,
)
from oddly.referee.check.session_steps import (
    ENDING_STEPS,
    PREPARING_STEPS,
    WIRE_STEPS,
    handshake,
)
from oddly.referee.check.setting_steps import ENGINE_STEPS, SETTING_STEPS
from oddly.referee.check.setup_steps import SETUP_STEPS
from oddly.referee.check.spelling_steps import SPELLING_STEPS
from oddly.referee.check.state_steps import INPUT_STEPS, STATE_STEPS
from oddly.referee.check.step import Step, StepResult, in_words
from oddly.referee.check.survey import SURVEY_STEPS
from oddly.referee.program.configuration import ProgramError, find_program
from oddly.referee.program.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games import Game


CORE = 11
"""Commands in the core of a step, on average."""
EVERYTHING = 20_000
"""Commands in all cases of a check, at most."""
OF_A_GAME = 35
"""Commands in a game."""
GRACE = 0.4
"""Seconds to end a process between two steps."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of a check."""

    engine: str
    """Its name and version, as it states them."""
    results: tuple[StepResult, ...]
    not_set_up: tuple[str, ...] = ()
    """The referee's lines that it refused, for games that it says it plays."""
    pace: float = 0.0
    """The seconds that it needed for a command, on average."""
    thinking: float = 0.0
    """The seconds that it needed for a turn in a game, on average."""

    @property
    def thinned(self) -> tuple[StepResult, ...]:
        """The steps that left cases out, as the engine is slow."""
        return tuple(result for result in self.results if result.left_out)

    def count(self, verdict: str) -> int:
        """Return the number of steps with this verdict."""
        return sum(result.verdict == verdict for result in self.results)


def all_steps(game: Game, games: int) -> list[Step]:
    """Return all steps, each behind those it rests on, with one for each of `games` games."""
    return [
        *WIRE_STEPS,
        *PREPARING_STEPS,
        *INPUT_STEPS,
        *ENGINE_STEPS,
        *NAMING_STEPS,
        *BOARD_STEPS,
        *SURVEY_STEPS,
        *UNDO_STEPS,
        *NOTATION_STEPS,
        *SPELLING_STEPS,
        *PASSING_STEPS,
        *REPETITION_STEPS,
        *PAST_STEPS,
        *TURN_STEPS,
        *illegal_steps(game),
        *GAME_SETTING_STEPS,
        *SETTING_STEPS,
        *SETUP_STEPS,
        *STATE_STEPS,
        *ASKING_STEPS,
        *PLAYING_STEPS,
        *CHOOSING_STEPS,
        *OPINION_STEPS,
        *ANALYSIS_STEPS,
        *CURRENT_STEPS,
        *CLOCK_STEPS,
        *GAME_STEPS,
        *game_steps(games),
        *LAST_STEPS,
        *ENDING_STEPS,
    ]


async def check_engine(
    command: Sequence[str],
    game: Game,
    options: CheckOptions,
    observer: Callable[[StepResult], None],
    progress: Callable[[str], None] = lambda _: None,
) -> CheckReport:
    """Check the engine behind `command` and return the report.

    `observer` receives the result of each step when it is done, up to a failed handshake, and
    `progress` a sentence when the engine takes long to get ready.
    """
    async with trio.open_nursery() as nursery:
        limits = Limits(grace=GRACE)
        conversation = Conversation(command, options.timeout, limits, nursery)
        engine = EngineUnderTest(conversation, game, options, progress)
        results: list[StepResult] = []
        try:
            steps = all_steps(game, options.games)
            for number, step in enumerate(steps):
                _begin(engine, steps, number)
                result = await _result(step, engine, _needed_later(engine, steps, number))
                results.append(_placed(result, results))
                if engine.commands or step is handshake:
                    observer(results[-1])
                if options.until_failure and results[-1].verdict == "fail":
                    break
                if step is PREPARING_STEPS[-1]:
                    await _look_for_small(engine)
        finally:
            await conversation.stop()
    return CheckReport(
        f"{engine.engine_name} {engine.engine_version}".strip(),
        tuple(results),
        tuple(engine.not_set_up),
        conversation.pace,
        engine.thinking,
    )


def _begin(engine: EngineUnderTest, steps: Sequence[Step], number: int) -> None:
    """Give a step its share of the time that is left; with a quick engine, up to half of it."""
    pace, shares = engine.conversation.pace, [step.share for step in steps]
    to_come = sum(shares[number:])
    is_quick = pace * EVERYTHING * to_come / sum(shares) < engine.budget.left
    share = to_come / 2 if is_quick else shares[number]
    engine.budget.begin_step(share, to_come, CORE * (len(steps) - number) * pace)


def _needed_later(engine: EngineUnderTest, steps: Sequence[Step], number: int) -> float:
    """Return the seconds that the games behind a step need: nothing counts more in a match."""
    games = sum(step.topic == "games" for step in steps[number + 1 :])
    return 0.0 if steps[number].topic == "games" else games * OF_A_GAME * engine.conversation.pace


async def _result(step: Step, engine: EngineUnderTest, needed_later: float) -> StepResult:
    """Run one step and return its result."""
    began = trio.current_time()
    try:
        await _run(step, engine, needed_later)
    except Skipped as skipped:
        seconds, is_cut = trio.current_time() - began, isinstance(skipped, NoTime)
        return StepResult(step, "skip", seconds, str(skipped), is_cut=is_cut)
    except Failed as failed:
        await engine.conversation.stop()
        return StepResult(
            step,
            "fail",
            trio.current_time() - began,
            failed.problem,
            failed.expected,
            failed.sent,
            failed.received,
        )
    seconds, budget = trio.current_time() - began, engine.budget
    return StepResult(step, "pass", seconds, cases=budget.known, left_out=budget.left_out)


def _placed(result: StepResult, earlier: list[StepResult]) -> StepResult:
    """Return the result of a failed step with the first failure that it may follow from."""
    if result.verdict != "fail":
        return result
    failed = (each.step for each in earlier if each.verdict == "fail")
    first = next((step.name for step in failed if result.step.follows(step)), "")
    return replace(result, follows_from=first)


async def _run(step: Step, engine: EngineUnderTest, needed_later: float) -> None:
    """Run a step, but not beyond the end of the check. Raises Failed or Skipped."""
    if step is not handshake:
        if not engine.commands:
            raise Skipped("the engine did not answer the handshake")
        missing = [name for name in step.needs if name not in engine.commands]
        if missing:
            raise Skipped(f"{missing[0]} is not listed")
    if step in PREPARING_STEPS or step in ENDING_STEPS or step is handshake:
        # The time to get ready has a limit of its own, and so has an end.
        await engine.start()
        await step.function(engine)
        return
    if engine.budget.has_time(needed_later):
        await engine.start()
        with trio.move_on_at(engine.budget.end):
            await step.function(engine)
            return
        await engine.conversation.stop()
    pace, most = in_words(engine.conversation.pace), engine.budget.most
    raise NoTime(
        f"no time is left: the engine answers in {pace}, and a check ends after {most:g} s "
        "(--budget)"
    )


async def _look_for_small(engine: EngineUnderTest) -> None:
    if not engine.commands:
        return
    try:
        await engine.start()
        await engine.find_small()
    except Failed:
        await engine.conversation.stop()


def run_check(
    command: str,
    game: Game,
    options: CheckOptions | None = None,
    observer: Callable[[StepResult], None] | None = None,
) -> CheckReport:
    """Check the engine behind a command line step by step and return the report.

    `observer` receives the result of each step when it is done. Raises ProgramError if there is no
    such program.

    >>> import oddly
    >>> report = oddly.run_check("oddly engine random", oddly.create_game("odd", 2))
    >>> print(report.engine, "fails", report.count("fail"))
    random ... fails 0
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProgramError(str(error)) from None
    program, every = find_program(words), observer or (lambda _: None)
    return trio.run(check_engine, program, game, options or CheckOptions(), every)
