"""No fault at any moment breaks, delays or fools the referee.

By default every fault is tried at one moment; which one changes from day to day and is printed. All
moments are a soak: `pytest --soak`.
"""

import os
import resource
import sys
from datetime import UTC, datetime

import pytest

from referee.outcome import Termination
from tests.referee.fault_suite import FAULTY_TIME, LIMITS, Case, Report, cases, play_all
from tests.referee.test_faults import processes

# Starting two Python engines takes this long at the most, on a machine that is busy otherwise.
START = 8.0
MOST_GROWTH = 64 * 1024 * 1024


def todays_sample() -> list[Case]:
    """Every fault at one of its moments."""
    day = int(os.environ.get("ODDLY_FAULT_DAY", datetime.now(UTC).toordinal()))
    print(f"ODDLY_FAULT_DAY={day} repeats this sample")
    by_fault: dict[str, list[Case]] = {}
    for case in cases():
        by_fault.setdefault(case.fault, []).append(case)
    return [
        moments[(day + index) % len(moments)] for index, moments in enumerate(by_fault.values())
    ]


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def check(report: Report) -> None:
    """The right ruling, in time, and the next game as if nothing had been."""
    case, outcome = report.case, report.outcome
    if case.expected is None:
        assert outcome.termination in (Termination.DOUBLE_PASS, Termination.NO_MOVES), case
    else:
        assert outcome.termination is case.expected, (case, outcome)
        assert outcome.winner == 0
        assert outcome.is_forfeit
        assert outcome.reason.startswith("faulty: ")
    assert report.next_game is Termination.DOUBLE_PASS or case.game == "ayu", case
    limit = LIMITS.handshake + LIMITS.setting_up if case.at == "handshake" else 0
    turns = 40 * 0.5 + float(FAULTY_TIME) + LIMITS.margin
    assert report.seconds < START + limit + turns + LIMITS.grace, case


async def check_all(wanted: list[Case]) -> None:
    mark = str(10**9 + os.getpid())
    before = peak_memory()
    for report in await play_all(wanted, mark):
        check(report)
    assert [line for line in processes() if f"--seed {mark} " in line] == []
    assert [line for line in processes() if f" {os.getpid()} " in line] == []
    assert peak_memory() - before < MOST_GROWTH


async def test_every_fault_at_one_moment():
    await check_all(todays_sample())


@pytest.mark.soak
async def test_every_fault_at_every_moment():
    await check_all(cases())


def test_the_document_has_every_case():
    from tests.referee.fault_suite import DOCUMENT

    rows = [line.split(" | ") for line in DOCUMENT.read_text(encoding="utf-8").splitlines()]
    listed = [(row[0].strip("| `"), row[1]) for row in rows if len(row) == 5][2:]
    assert listed == [(case.fault, case.at) for case in cases()]
