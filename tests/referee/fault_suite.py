"""Every fault of `oddly engine misbehave` at every moment, with the ruling it must get.

`python -m tests.referee.fault_suite` plays them all and writes `docs/faults.md`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import trio

from engines.misbehaving_engine import FAULTS, ILLEGAL, LIES, MOMENTS
from games.catalogue import create_game
from protocol.time_control import parse_time_control
from referee.limits import Limits
from referee.match import play_pooled_game
from referee.outcome import Outcome, Termination
from referee.player import Contestant
from referee.pool import EnginePool

DOCUMENT = Path(__file__).parents[2] / "docs" / "faults.md"

# The honest engine's clock is generous, so that a slow machine cannot change a ruling.
HONEST_TIME = "60"
FAULTY_TIME = "2"
LIMITS = Limits(handshake=8.0, setting_up=8.0, margin=0.1, grace=0.2)
TOGETHER = 6

HARMLESS = None
"""The ruling of a fault that does not decide the game."""

_SILENT = ("hang", "busy", "stopped", "drip", "half-reply", "ignore-quit")
_NOISY = ("endless-lines", "endless-line", "long-line", "binary", "garbage")
_OUT_OF_STEP = ("wrong-id", "no-id", "twice", "unrequested")
_GONE = ("crash", "killed", "leave", "answer-and-leave", "close-stdout")


@dataclass(frozen=True, slots=True)
class Case:
    """A fault at a moment, and the termination it must lead to (None: the game goes on)."""

    fault: str
    at: str
    expected: Termination | None

    @property
    def game(self) -> str:
        """Only Ayu has pieces of the opponent's to move."""
        return "ayu" if self.fault == "illegal-piece" else "yodd"


def expected(fault: str, at: str) -> Termination | None:
    """The ruling, by `docs/rulings.md`."""
    if at == "quit" or fault in ("flood-stderr", "child", "stray", "slow"):
        return HARMLESS
    if fault in _NOISY or fault in _OUT_OF_STEP or fault in LIES:
        return Termination.PROTOCOL
    if fault in _GONE:
        return Termination.CRASH
    if fault.startswith("illegal-"):
        return Termination.ILLEGAL_TURN
    if fault == "refuse":
        return HARMLESS if at == "handshake" else Termination.PROTOCOL
    assert fault in _SILENT or fault == "close-stdin"
    return Termination.NO_START if at == "handshake" else Termination.TIME


def cases() -> list[Case]:
    """All faults at all moments that make sense."""
    found = [Case(fault, at, expected(fault, at)) for fault in FAULTS for at in MOMENTS]
    illegal = [*ILLEGAL, "illegal-malformed"]
    found += [Case(f, at, Termination.ILLEGAL_TURN) for f in illegal for at in ("first", "middle")]
    found += [Case(fault, "handshake", Termination.PROTOCOL) for fault in LIES]
    return found


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a case: the outcome, its seconds, and the next game's termination."""

    case: Case
    outcome: Outcome
    seconds: float
    next_game: Termination
    seconds_to_stop: float


async def play(case: Case, mark: str) -> Report:
    """A game with the fault, a game after it between honest engines, and the end of all."""
    game = create_game(case.game, 3 if case.game == "yodd" else 5)
    words = (sys.executable, "-m", "tournaments", "engine")
    honest = Contestant("honest", (*words, "random"), parse_time_control(HONEST_TIME))
    command = (*words, "misbehave", "--fault", case.fault, "--at", case.at, "--seed", mark)
    faulty = Contestant("faulty", command, parse_time_control(FAULTY_TIME))
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS)
        began = trio.current_time()
        outcome = (await play_pooled_game(pool, game, (honest, faulty), seed=1)).outcome
        seconds = trio.current_time() - began
        after = await play_pooled_game(pool, game, (honest, honest), seed=2)
        stopping = trio.current_time()
        await pool.stop()
        seconds_to_stop = trio.current_time() - stopping
    return Report(case, outcome, seconds, after.outcome.termination, seconds_to_stop)


async def play_all(wanted: list[Case], mark: str) -> list[Report]:
    """Several cases at a time, as they would meet in a tournament."""
    reports: dict[Case, Report] = {}
    waiting = iter(wanted)

    async def seat() -> None:
        for case in waiting:
            reports[case] = await play(case, mark)

    async with trio.open_nursery() as nursery:
        for _ in range(TOGETHER):
            nursery.start_soon(seat)
    return [reports[case] for case in wanted]


def document(reports: list[Report]) -> str:
    """The table of `docs/faults.md`."""
    rows = [
        f"| `{r.case.fault}` | {r.case.at} | {r.outcome.termination.value} | "
        f"{r.outcome.reason.removeprefix('faulty: ')} | {r.seconds:.1f} |"
        for r in reports
    ]
    return "\n".join([HEAD, *rows, ""])


HEAD = f"""# Faults

What the referee does about every fault that `oddly engine misbehave` can commit, at every
moment: during the handshake, at its first and third genmove, and when told to quit. Written by
`python -m tests.referee.fault_suite`; the seconds are those of the whole game, start of both
engines included, with {TOGETHER} such games at once on two cores, a clock of {FAULTY_TIME} s a
turn, a handshake limit of {LIMITS.handshake:g} s and a kill grace of {LIMITS.grace:g} s.

After each of these games the next one was played to its end by its rules, and nothing of the
faulty engine was left running. What cannot be caught is told in
[rulings.md](rulings.md#what-is-left-running).

| fault | at | game ends by | reason | seconds |
| --- | --- | --- | --- | --- |"""


def main() -> None:
    """Play every case and write the document."""
    DOCUMENT.write_text(document(trio.run(play_all, cases(), "1")), encoding="utf-8")


if __name__ == "__main__":
    main()
