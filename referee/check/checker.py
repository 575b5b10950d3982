"""Checks one engine step by step, with a fresh process after each failure, and reports.

The results are written as lines of text, as JSON, and as a certificate for others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import trio

from oddly.games import VERSION, Game, one_line
from oddly.games.untrusted_text import MAX_LINE_LENGTH
from oddly.referee.check import mutation_score as kit
from oddly.referee.check.analysis_steps import ANALYSIS_STEPS
from oddly.referee.check.conversation import Conversation, Failed, NoTime, Skipped
from oddly.referee.check.engine_under_test import CheckOptions, EngineUnderTest
from oddly.referee.check.game_steps import CLOCK_STEPS, GAME_STEPS, LAST_STEPS, game_steps
from oddly.referee.check.opinion_steps import CURRENT_STEPS, OPINION_STEPS
from oddly.referee.check.playing_steps import (
    CHOOSING_STEPS,
    PASSING_STEPS,
    PAST_STEPS,
    PLAYING_STEPS,
)
from oddly.referee.check.position_steps import (
    ASKING_STEPS,
    GAME_SETTING_STEPS,
    NAMING_STEPS,
    NOTATION_STEPS,
    PREPARING_STEPS,
    SETUP_STEPS,
    UNDO_STEPS,
)
from oddly.referee.check.rule_steps import BOARD_STEPS, REPETITION_STEPS, TURN_STEPS, illegal_steps
from oddly.referee.check.session_steps import (
    ENDING_STEPS,
    SPELLING_STEPS,
    WIRE_STEPS,
    handshake,
)
from oddly.referee.check.setting_steps import ENGINE_STEPS, SETTING_STEPS
from oddly.referee.check.state_steps import INPUT_STEPS, STATE_STEPS
from oddly.referee.check.step import Step, StepResult, in_words
from oddly.referee.check.survey import SURVEY_STEPS
from oddly.referee.program.configuration import Limits, find_program, split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
    """Its average seconds per command."""
    thinking: float = 0.0
    """Its average seconds per turn in a game."""

    @property
    def thinned(self) -> tuple[StepResult, ...]:
        """The steps that left cases out because the engine is slow."""
        return tuple(result for result in self.results if result.left_out)

    def count(self, verdict: str) -> int:
        """Return the number of steps with this verdict."""
        return sum(result.verdict == verdict for result in self.results)


def all_steps(game: Game, games: int) -> list[Step]:
    """Return all steps, each after those it rests on, with one for each of `games` games."""
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
        engine.turn_times.mean,
    )


def _begin(engine: EngineUnderTest, steps: Sequence[Step], number: int) -> None:
    """Give a step its share of the time that is left; with a quick engine, up to half of it."""
    pace, shares = engine.conversation.pace, [step.share for step in steps]
    to_come = sum(shares[number:])
    is_quick = pace * EVERYTHING * to_come / sum(shares) < engine.budget.left
    share = to_come / 2 if is_quick else shares[number]
    engine.budget.begin_step(share, to_come, CORE * (len(steps) - number) * pace)


def _needed_later(engine: EngineUnderTest, steps: Sequence[Step], number: int) -> float:
    """Return the seconds that the games after a step need: nothing counts more in a match."""
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
        # Getting ready and ending have limits of their own.
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
    words = split_words(command)
    program, every = find_program(words), observer or (lambda _: None)
    return trio.run(check_engine, program, game, options or CheckOptions(), every)


WORDS = {"pass": "pass", "fail": "FAIL", "skip": "skip"}
INDENT = " " * 6


def step_lines(result: StepResult) -> str:
    """Return the line of a step, and below it the evidence if it failed."""
    step = result.step
    duty = ", should" if step.should else ""
    line = f"{WORDS[result.verdict]}  {step.name} ({step.section}{duty})"
    if result.verdict == "skip":
        return f"{line}: {one_line(result.reason)}"
    if result.verdict == "pass":
        return f"{line}: {few_cases(result)}" if result.left_out else line
    if result.follows_from:
        line += f"; follows from: {result.follows_from}"
    evidence = {
        "problem": one_line(result.reason),
        "sent": _bytes(result.sent),
        "received": _bytes(result.received) or "nothing",
        "expected": one_line(result.expected),
    }
    shown = [f"{INDENT}{name:<9} {text}" for name, text in evidence.items() if text]
    return "\n".join([line, *shown])


def _bytes(data: bytes) -> str:
    """Return data as one line, in which escapes stand for bytes."""
    text = data[:MAX_LINE_LENGTH].decode("utf-8", "backslashreplace")
    shown = (each if each.isprintable() else repr(each.encode())[2:-1] for each in text)
    return "".join(shown) + ("..." if len(data) > MAX_LINE_LENGTH else "")


def few_cases(result: StepResult) -> str:
    """Return how many of its cases a step has tried: `3 of 8 cases`."""
    return f"{result.cases - result.left_out} of {result.cases} cases"


def thinning(report: CheckReport) -> str:
    """Return how many cases were left out and why, or "" if none was."""
    known = sum(result.cases for result in report.thinned)
    tried = known - sum(result.left_out for result in report.thinned)
    if not known:
        return ""
    line = f"thinned: {tried} of {known} cases, as the engine answers in {in_words(report.pace)}"
    return f"{line} and chooses a turn in {in_words(report.thinking)}" if report.thinking else line


def shortening(report: CheckReport) -> str:
    """Return how many steps had no time left, or "" if all had some."""
    cut = sum(result.is_cut for result in report.results)
    if not cut:
        return ""
    return f"cut short: no time was left for {cut} of {len(report.results)} steps (--budget)"


def summary(report: CheckReport) -> str:
    """Return the last lines of a report: the numbers of steps, and what was left out."""
    counts = [report.count(verdict) for verdict in ("pass", "fail", "skip")]
    line = "{} passed, {} failed, {} skipped".format(*counts)
    if follow := sum(bool(result.follows_from) for result in report.results):
        line += f"; {follow} of the failures may follow from earlier ones"
    if not counts[0]:
        line += ": without a handshake nothing can be checked"
    return "\n".join(filter(None, (thinning(report), shortening(report), line)))


def as_json(report: CheckReport, command: str, game: str) -> dict[str, Any]:
    """Return the report as plain values for one JSON object."""
    return {
        "command": command,
        "engine": one_line(report.engine),
        "game": game,
        "passed": report.count("pass"),
        "failed": report.count("fail"),
        "skipped": report.count("skip"),
        "thinned": thinning(report),
        "cut_short": shortening(report),
        "steps": [_step_json(result) for result in report.results],
    }


def _step_json(result: StepResult) -> dict[str, Any]:
    return {
        "name": result.step.name,
        "section": result.step.section,
        "should": result.step.should,
        "result": result.verdict,
        "seconds": round(result.seconds, 3),
        "cases": result.cases,
        "left_out": result.left_out,
        "follows_from": result.follows_from,
        "reason": one_line(result.reason),
        "expected": one_line(result.expected),
        "sent": _bytes(result.sent),
        "received": _bytes(result.received),
    }


FORMAT = 1
PROTOCOL = 1


def certificate(report: CheckReport, command: str, game: Game) -> dict[str, Any]:
    """Return the certificate of an engine for one game and board, as plain values."""
    musts = [result for result in report.results if not result.step.should]
    skipped = [result for result in report.results if result.verdict == "skip"]
    is_void = bool(report.not_set_up) or report.count("pass") == 0
    return {
        "certificate": FORMAT,
        "engine": one_line(report.engine),
        "command": command,
        "game": {"name": game.name, "size": game.size, **game.settings},
        "versions": {"oddly": VERSION, "protocol": PROTOCOL, "gtp": 2},
        "kit": {
            "mutants": kit.MUTANTS,
            "found": kit.FOUND,
            "mutation_score": round(kit.FOUND / kit.MUTANTS, 3),
        },
        "void": is_void,
        "not_set_up": [one_line(line) for line in report.not_set_up],
        "keeps_every_must": not is_void and not any(result.verdict == "fail" for result in musts),
        "keeps_every_should": not is_void and report.count("fail") == 0,
        "skipped": {result.step.name: one_line(result.reason) for result in skipped},
        "thinned": {result.step.name: few_cases(result) for result in report.thinned},
        "report": as_json(report, command, str(game)),
    }
