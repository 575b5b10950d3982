"""The results of a check as lines of text, as JSON, and as a certificate for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.games import VERSION, one_line
from oddly.referee.check import mutation_score as kit
from oddly.referee.check.step import StepResult, in_words

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.referee.check.checker import CheckReport


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
        "sent": one_line(result.sent),
        "received": one_line(result.received) or "nothing",
        "expected": one_line(result.expected),
    }
    shown = [f"{INDENT}{name:<9} {text}" for name, text in evidence.items() if text]
    return "\n".join([line, *shown])


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
        "sent": one_line(result.sent),
        "received": one_line(result.received),
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
