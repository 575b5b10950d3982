"""Checking one engine: every step in turn, with a fresh process after each that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from oddly.referee.check import (
    analysis_steps,
    clock_steps,
    ending_steps,
    engine_steps,
    game_steps,
    opinion_steps,
    past_steps,
    position_steps,
    preparing_steps,
    rule_steps,
    setting_steps,
    turn_steps,
)
from oddly.referee.check import wire_steps as wire
from oddly.referee.check.conversation import Conversation
from oddly.referee.check.engine_under_test import CheckOptions, EngineUnderTest
from oddly.referee.check.errors import Failed, Skipped
from oddly.referee.check.step import Step, StepResult
from oddly.referee.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.game import Game

GRACE = 0.4
"""Seconds to end a process between two steps."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of a check."""

    engine: str
    """Its name and version, as it states them."""
    results: tuple[StepResult, ...]

    def count(self, verdict: str) -> int:
        """Return the number of steps with this verdict."""
        return sum(result.verdict == verdict for result in self.results)


def all_steps(game: Game, games: int) -> list[Step]:
    """Return all steps in their order, with one for each of `games` games."""
    return [
        *wire.STEPS,
        *preparing_steps.STEPS,
        *engine_steps.STEPS,
        *position_steps.STEPS,
        *rule_steps.STEPS,
        *setting_steps.STEPS,
        *past_steps.STEPS,
        *turn_steps.STEPS,
        *turn_steps.illegal_steps(game),
        *opinion_steps.STEPS,
        *analysis_steps.STEPS,
        *game_steps.game_steps(games),
        *clock_steps.STEPS,
        *game_steps.STEPS,
        *ending_steps.STEPS,
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
            for step in all_steps(game, options.games):
                results.append(await _result(step, engine))
                if engine.commands or step is wire.handshake:
                    observer(results[-1])
                if options.until_failure and results[-1].verdict == "fail":
                    break
                if step is preparing_steps.STEPS[-1]:
                    await _look_for_small(engine)
        finally:
            await conversation.stop()
    return CheckReport(f"{engine.engine_name} {engine.engine_version}".strip(), tuple(results))


async def _result(step: Step, engine: EngineUnderTest) -> StepResult:
    """Run one step and return its result."""
    began = trio.current_time()
    try:
        await _run(step, engine)
    except Skipped as skipped:
        return StepResult(step, "skip", trio.current_time() - began, str(skipped))
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
    return StepResult(step, "pass", trio.current_time() - began)


async def _run(step: Step, engine: EngineUnderTest) -> None:
    if step is not wire.handshake:
        if not engine.commands:
            raise Skipped("the engine did not answer the handshake")
        missing = [name for name in step.needs if name not in engine.commands]
        if missing:
            raise Skipped(f"{missing[0]} is not listed")
    await _start(engine)
    await step.function(engine)


async def _start(engine: EngineUnderTest) -> None:
    if not engine.conversation.is_running:
        await engine.conversation.restart()
        await preparing_steps.prepare(engine)


async def _look_for_small(engine: EngineUnderTest) -> None:
    if not engine.commands:
        return
    try:
        await _start(engine)
        await engine.find_small()
    except Failed:
        await engine.conversation.stop()
