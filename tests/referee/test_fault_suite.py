"""No fault at any moment breaks, delays or fools the referee.

By default every other fault is tried at one moment; which ones the commit decides, and the header
says how to repeat it. All moments are a soak: `pytest --soak`.
"""

import os
import re

import pytest

from oddly.engines.engine import OptionError
from oddly.engines.faults import AT_A_COMMAND, HARMLESS, ILLEGAL, MOMENTS, RULINGS
from oddly.engines.misbehaving_engine import MisbehavingEngine
from oddly.games.turns import Illegality
from oddly.referee.justice.outcome import Termination
from tests.referee.fault_suite import (
    DOCUMENT,
    FAULTY_TIME,
    LIMITS,
    Case,
    Report,
    cases,
    children,
    document,
    left_running,
    peak_memory,
    play_all,
)
from tests.sampling import sample_number

START = 8.0
"""Seconds that starting two Python engines takes at most."""
MAX_LAG = 1.0
MAX_NEXT = 5.0
"""Seconds that a short game of honest engines takes at most on a machine that is not too slow."""
MAX_GROWTH = 32 * 1024 * 1024
BY_THE_RULES = (Termination.DOUBLE_PASS, Termination.NO_MOVES, Termination.REPETITION)


def sampled_cases() -> list[Case]:
    """Every other fault at one of its moments."""
    by_fault: dict[str, list[Case]] = {}
    for case in cases():
        by_fault.setdefault(case.fault, []).append(case)
    return [
        moments[(sample_number() + index) % len(moments)]
        for index, moments in enumerate(by_fault.values())
        if (sample_number() // 7 + index) % 2
    ]


def most_seconds(case: Case) -> float:
    """What a game may take: its clocks, its limits and its end, however busy the machine."""
    limit = LIMITS.handshake + LIMITS.setting_up if case.limits is LIMITS else 0
    turns = 40 * 0.5 + float(FAULTY_TIME) + LIMITS.margin
    return START + limit + turns + LIMITS.grace


def ruling(report: Report) -> str:
    """The game's end as the table of rulings has it, with whose fault it was."""
    outcome = report.outcome
    if outcome.termination in BY_THE_RULES:
        return HARMLESS
    blamed = outcome.winner == 1 - report.case.faulty and outcome.reason.startswith("faulty: ")
    return outcome.termination.value if blamed and outcome.is_forfeit else outcome.reason


def complaints(report: Report) -> list[str]:
    """Everything that should have been otherwise."""
    case, found = report.case, []
    if ruling(report) != case.ruling:
        found.append(f"{case}: {report.outcome}, not {case.ruling}")
    if report.next_game not in BY_THE_RULES:
        found.append(f"{case}: the next game ended by {report.next_game}")
    if report.seconds > most_seconds(case):
        found.append(f"{case}: the game took {report.seconds:.1f} s")
    if report.seconds_to_stop > START + LIMITS.grace:
        found.append(f"{case}: the engines took {report.seconds_to_stop:.1f} s to stop")
    return found


def slowness(report: Report) -> str | None:
    """Why a complaint about a case means nothing: the machine was too slow."""
    if report.lag > MAX_LAG:
        return f"{report.case}: the referee itself was {report.lag:.1f} s late"
    if report.next_seconds > MAX_NEXT:
        return f"{report.case}: a game of honest engines took {report.next_seconds:.1f} s"
    return None


async def check_all(wanted: list[Case]) -> None:
    mark = str(os.getpid())
    before, own = peak_memory(), set(children())
    reports = await play_all(wanted, mark)
    wrong = [report for report in reports if complaints(report)]
    found = [each for report in wrong if not slowness(report) for each in complaints(report)]
    assert found == []
    assert left_running(mark) == []
    assert set(children()) <= own
    assert peak_memory() - before < MAX_GROWTH
    if wrong:
        pytest.skip(f"too slow to judge: {'; '.join(filter(None, map(slowness, wrong)))}")


@pytest.mark.sampled
@pytest.mark.timed
async def test_every_other_fault_at_one_moment():
    await check_all(sampled_cases())


@pytest.mark.soak
@pytest.mark.timed
async def test_every_fault_at_every_moment():
    await check_all(cases())


def test_the_document_has_every_case_and_its_ruling():
    text = DOCUMENT.read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w-]+)` \| (\w+) \| ([\w ]+) \|", text, re.MULTILINE)
    assert listed == [(case.fault, case.at, case.ruling) for case in cases()]


def test_the_document_is_what_its_command_writes_now_but_for_the_games_played():
    rows = re.compile(r"^\| `[\w-]+` \| \w+ \| [\w ]+ \|.*\n", re.MULTILINE)
    assert rows.sub("", DOCUMENT.read_text(encoding="utf-8")) == document([])


def test_every_ruling_is_a_forfeit_that_the_referee_knows_or_harmless():
    forfeits = {termination.value for termination in Termination if termination.is_forfeit}
    assert {case.ruling for case in cases()} <= forfeits | {HARMLESS}


def test_there_is_a_fault_for_every_rule_that_a_turn_can_break():
    # Nobody is asked for a turn once the game is over, and FORBIDDEN is for other packages' games.
    never = {Illegality.GAME_OVER, Illegality.FORBIDDEN}
    assert set(ILLEGAL.values()) == {*Illegality, None} - never


def test_every_fault_that_replaces_a_reply_has_all_moments():
    assert all(tuple(RULINGS[fault]) == MOMENTS for fault in AT_A_COMMAND)


def test_the_list_shows_every_fault(output):
    head, *rows = output("engine", "misbehave", "--list").splitlines()
    assert head.split()[:5] == ["fault", *MOMENTS]
    assert [row.split()[0] for row in rows] == list(RULINGS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["misbehave", "--fault", "hnag"], "did you mean 'hang'?"),
        (["misbehave", "--at", "midle"], "not 'midle'; did you mean 'middle'?"),
        (
            ["misbehave", "--fault", "illegal-parity", "--at", "quit"],
            "fault illegal-parity cannot be committed at quit: expected first or middle",
        ),
        (["random", "--option", "fault=hang"], "unknown option 'fault': expected one of seed"),
        (["random", "--list"], "random has no faults to list; misbehave has"),
    ],
)
def test_a_fault_that_there_is_not_is_refused_in_one_sentence(refusal, words, sentence):
    said = refusal("engine", *words)
    assert said.startswith("oddly: engine: ")
    assert said.endswith(f"{sentence}\n")
    assert said.count("\n") == 1


def test_an_option_that_is_refused_changes_nothing():
    engine = MisbehavingEngine()
    engine.set_option("fault", "illegal-parity")
    with pytest.raises(OptionError):
        engine.set_option("at", "quit")
    assert engine.values["at"] == "middle"
