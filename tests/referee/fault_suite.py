"""Every fault of `oddly engine misbehave` at every moment, with the ruling it must get.

`python -m tests.referee.fault_suite` plays them all and writes `docs/reference/faults.md`.
"""

import os
import resource
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import trio

from oddly.engines.faults import HARMLESS, RULINGS, meaning
from oddly.games.catalogue import create_game
from oddly.protocol.notation import parse_time_control
from oddly.referee.justice.deadline import LagMeter
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.program.configuration import EngineConfiguration, Limits, Resources

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"
HONEST = str(DOCUMENT.parents[2] / "examples" / "python" / "full.py")
"""An engine that starts in a third of the time of ours."""
MARK = "ODDLY_FAULT_SUITE"
"""An environment variable that all processes of a run inherit, to find those left behind."""

# The honest engine's clock is generous, so that a slow machine cannot change a ruling.
HONEST_TIME = "60"
FAULTY_TIME = "2"
LIMITS = Limits(handshake=8.0, setting_up=8.0, margin=0.1, grace=0.2)
PATIENT = replace(LIMITS, handshake=60.0, setting_up=60.0)
"""For all cases but those that LIMITS decides: a busy machine must not."""
TOGETHER = 6
NO_START = Termination.NO_START.value

_IN_AYU = ("no-piece", "colour", "distance", "split", "away", "swap")


@dataclass(frozen=True, slots=True)
class Case:
    """A fault at a moment, and how the game must end (HARMLESS: by its rules)."""

    fault: str
    at: str

    @property
    def ruling(self) -> str:
        """A Termination's value, or HARMLESS."""
        return RULINGS[self.fault][self.at]

    @property
    def limits(self) -> Limits:
        """Short ones only where the engine must be given up before its first game."""
        return LIMITS if self.ruling == NO_START else PATIENT

    @property
    def game(self) -> str:
        """Only Ayu has pieces to move."""
        return "ayu" if self.fault.removeprefix("illegal-") in _IN_AYU else "yodd"

    @property
    def faulty(self) -> int:
        """The faulty engine's place. Only who opens can play a wrong first turn."""
        return 0 if self.fault == "illegal-first-turn" else 1


def cases() -> list[Case]:
    """All faults at all moments that make sense."""
    return [Case(fault, at) for fault, rulings in RULINGS.items() for at in rulings]


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a case and how long it took, and how the next game ended."""

    case: Case
    outcome: Outcome
    seconds: float
    next_game: Termination
    next_seconds: float
    """Of the game between honest engines that follows: a measure of the machine."""
    seconds_to_stop: float
    lag: float
    """By how much the referee itself was late at most, in seconds."""


async def play(case: Case, mark: str, meter: LagMeter) -> Report:
    """A game with the fault, a game after it between honest engines, and the end of all."""
    game = create_game(case.game, 3 if case.game == "yodd" else 5)
    honest, faulty = _configuration("honest", HONEST_TIME, mark, HONEST), _faulty(case, mark)
    pair = (faulty, honest) if case.faulty == 0 else (honest, faulty)
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, case.limits)
        watch, began = meter.watch(), trio.current_time()
        outcome = (await play_pooled_game(pool, game, pair, seed=1)).outcome
        seconds = trio.current_time() - began
        after = await play_pooled_game(pool, game, (honest, honest), seed=2)
        stopping = trio.current_time()
        next_seconds = stopping - began - seconds
        await pool.stop()
        seconds_to_stop = trio.current_time() - stopping
    next_game = after.outcome.termination
    return Report(case, outcome, seconds, next_game, next_seconds, seconds_to_stop, watch.end())


def _faulty(case: Case, mark: str) -> EngineConfiguration:
    at = () if len(RULINGS[case.fault]) == 1 else ("--at", case.at)
    words = "-m", "oddly", "engine", "misbehave", "--fault", case.fault, *at
    return _configuration("faulty", FAULTY_TIME, mark, *words)


def _configuration(name: str, time: str, mark: str, *words: str) -> EngineConfiguration:
    command = (sys.executable, *words)
    resources = Resources(environment={MARK: mark})
    return EngineConfiguration(name, command, parse_time_control(time), resources=resources)


async def play_all(wanted: list[Case], mark: str) -> list[Report]:
    """Several cases at a time, as they would meet in a tournament."""
    reports: dict[Case, Report] = {}
    waiting = iter(wanted)

    async def slot() -> None:
        for case in waiting:
            reports[case] = await play(case, mark, meter)

    meter = LagMeter()
    async with trio.open_nursery() as background:
        background.start_soon(meter.beat)
        async with trio.open_nursery() as slots:
            for _ in range(TOGETHER):
                slots.start_soon(slot)
        background.cancel_scope.cancel()
    return [reports[case] for case in wanted]


def left_running(mark: str) -> list[str]:
    """The command lines of all processes, zombies excepted, that a run with `mark` left behind.

    Without /proc nobody can be asked, and the list is empty.
    """
    wanted = f"{MARK}={mark}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def children() -> list[str]:
    """The ids of this process's children, zombies included, as far as the system tells."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [pid for task in tasks for pid in task.read_text().split()]


def document(reports: list[Report]) -> str:
    """The text of `docs/reference/faults.md`."""
    rows = [
        f"| `{r.case.fault}` | {r.case.at} | {r.case.ruling} | {_reason(r)} | {r.seconds:.1f} |"
        for r in reports
    ]
    meanings = [f"| `{fault}` | {meaning(fault)} |" for fault in RULINGS]
    return "\n".join([HEAD, *rows, MEANINGS, *meanings, SEARCHED_FOR])


def _reason(report: Report) -> str:
    outcome = report.outcome
    if report.case.ruling == HARMLESS:
        return f"the game ended by its rules: {outcome.reason}"
    return outcome.reason.removeprefix("faulty: ").replace("|", "\\|")


HEAD = f"""# Faults

What the referee does about every fault of `oddly engine misbehave`, at every moment: during the
handshake, at its first and third genmove, and at `quit`. For organisers who want to know whether
a broken engine can harm their event. `python -m tests.referee.fault_suite` writes this page. The
seconds are those of the whole game, including the start of both engines, with {TOGETHER} such
games at once, a clock of {FAULTY_TIME} s a turn, a handshake limit of {LIMITS.handshake:g} s where
it decides, and a kill grace of {LIMITS.grace:g} s.

The honest engine won each of these games except the harmless ones. After each of them the next game
ended by its rules, and no process of the faulty engine was left running.

Without isolation the referee cannot catch a process that forks faster than it can be found, or, off
Linux, any process that left the group. See [rulings](rulings.md#what-is-left-running).

## Rulings

| fault | at | ruling | reason given | seconds |
| --- | --- | --- | --- | --- |"""

MEANINGS = """
## Faults

A fault with only one moment needs no `--at`. A turn that breaks one rule is played as soon as the
position allows one. `oddly engine misbehave --list` prints this list.

| fault | what it does |
| --- | --- |"""

SEARCHED_FOR = """
## Searching for unknown faults

The list above has only the faults that somebody thought of. Two searches by Hypothesis look for
others:

- `tests/referee/composed_games.py` composes engines from system calls (write, close, reopen,
  fork, `setsid`, `ptrace`, signals, delays, exits, floods) at moments of a game. Only these
  engines may lose, in time, without delaying another game and without leaving anything behind.
- `tests/referee/test_time_machine.py` plans when answers arrive and when the referee stands
  still, and knows who is guilty of what.

A few examples of both run with the tests, hundreds with `pytest --soak`. Against an older
referee, whose rulings on time did not use stamps, they found:

- With seed 8 of the second search, a late answer costs the next mover the game: the first answer
  comes 1 ms late while the referee stands still for 3 s, and the other engine loses on time
  although its answer is not late. Now the game is `abandoned` and replayed.
- With seed 2 of the first search, example 95, the referee waits for ever: at its start the engine
  closes its input, forks a child that leaves the session and traces its parent, and sends itself
  SIGTERM. Now it loses by `no start`.
- With seed 1, example 27, an exit goes unnoticed: at its first turn the engine closes its
  standard error, forks, and exits with code 3, and loses on time. Now it loses by `crash`.
- With seed 1, example 74, answers come in advance: after its second turn the engine answers the
  next two questions, and the game continues without a fault. Now it loses by `protocol`.

The seeds are those of `hypothesis.seed`, with 100 games of the second search and 300 of the
first, and hold for these versions of the searches.
"""


def main() -> None:
    """Play every case and write the document."""
    reports = trio.run(partial(play_all, cases(), str(os.getpid())))
    DOCUMENT.write_text(document(reports), encoding="utf-8")


if __name__ == "__main__":
    main()
