"""Games against engines composed of system calls at moments, and what must be true of each.

An engine is `tests/fakes/composed.py` with a plan: at some of its moments it writes, closes and
reopens its pipes, forks, leaves its session, traces, signals, delays, floods and exits.
"""

import gc
import io
import math
import os
import signal
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import thread_time

import trio
from hypothesis import event
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.wire_log import WireLog
from oddly.referee.program.configuration import Isolation, Limits, Resources
from oddly.referee.program.guard import guarded
from oddly.referee.program.isolation import why_not
from tests.referee.fakes import composed, fake
from tests.referee.fault_suite import MARK, left_running, peak_memory
from tests.referee.test_ending import sleepers

CLOCK = 0.5
LIMITS = Limits(handshake=5.0, setting_up=5.0, last_play=0.5, grace=0.4)
MAX_SECONDS = 60.0
"""In which a pair of games ends on any machine, however busy; a hang takes for ever."""
MAX_MORE = 2.0
"""Seconds beyond clock and margin in which a game is over, and beyond the grace its engines."""
MAX_PASS = 0.1
"""Processor time of one pass of the loop, after which all other games go on; far more than 20 ms,
since a processor that is shared is slow."""
MAX_GROWTH = 32 << 20
MAX_LAG = 0.5
MAX_NEXT = 3.0
"""Seconds that a game of honest engines takes at most, unless the machine is too slow to judge."""
LONG = f"3800.{os.getpid()}"
BY_THE_RULES = (Termination.BOARD_FULL, Termination.DOUBLE_PASS)

MOMENTS = ("start1", "ask1", "half1", "done1", "play2", "ask2", "half2", "done2", "play4", "quit1")
ASKED = set(MOMENTS) - {"play4", "quit1"}
"""Moments after which the engine is asked once more."""
FDS = st.sampled_from((0, 1, 2))
SIGNALS = st.sampled_from([signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL, signal.SIGSTOP])
AMOUNTS = st.sampled_from((100, 70_000, 3_000_000))
LIMIT = CLOCK + LIMITS.margin
OWN = st.one_of(
    st.tuples(st.just("write"), st.sampled_from((1, 2)), st.sampled_from(("x", "\n\n", "=\n\n"))),
    st.tuples(st.just("flood"), st.sampled_from((1, 2)), AMOUNTS, st.sampled_from(("x", "\n"))),
    st.tuples(st.just("close"), FDS),
    st.tuples(st.just("reopen"), FDS),
    st.tuples(st.just("ignore"), st.sampled_from([signal.SIGTERM, signal.SIGPIPE])),
    st.tuples(st.just("delay"), st.sampled_from((0.01, 0.1, LIMIT - 0.02, LIMIT, 2 * CLOCK))),
    st.tuples(st.just("setsid")),
    st.tuples(st.just("forge"), st.integers(1, 4)),
)
LAST = st.one_of(
    st.tuples(st.just("exit"), st.sampled_from((0, 3))), st.tuples(st.just("signal"), SIGNALS)
)
IN_CHILD = st.one_of(
    OWN,
    st.tuples(st.just("ptrace")),
    st.tuples(st.just("wipe"), st.just(LONG)),
    st.tuples(st.just("signal_parent"), SIGNALS),
)
CHILD = st.lists(IN_CHILD, max_size=3).map(lambda calls: ("fork", *calls))
LEAVING = st.tuples(st.tuples(st.just("close"), FDS), CHILD, LAST).map(list)
CALLS = st.lists(st.one_of(OWN, CHILD, LAST), min_size=1, max_size=3) | LEAVING
PLANS = st.dictionaries(st.sampled_from(MOMENTS), CALLS, min_size=1, max_size=3)
WALLS = [Resources(environment={MARK: str(os.getpid())}, isolation=Isolation.NONE)]
if why_not() is None:
    WALLS.append(replace(WALLS[0], isolation=Isolation.BUBBLEWRAP))


class Passes(trio.abc.Instrument):
    """The processor time of the longest pass of the loop."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._began = math.inf

    def after_io_wait(self, timeout: float) -> None:
        self._began = thread_time()

    def before_io_wait(self, timeout: float) -> None:
        self.worst = max(self.worst, thread_time() - self._began)


@dataclass
class Report:
    """A game with a plan, and what it cost."""

    record: GameRecord
    recorded: float
    """When the game was recorded, in seconds since it began."""
    released: float
    next_game: Termination
    next_seconds: float
    longest_pass: float
    grown: int
    """Bytes by which the referee's most memory has grown."""

    @property
    def was_slow(self) -> bool:
        """Whether the machine was too slow to judge by seconds."""
        return self.record.outcome.lag > MAX_LAG or self.next_seconds > MAX_NEXT

    def complaints(self) -> list[str]:
        """What took too long or too much, and by how much."""
        found = []
        timing = self.record.timing
        if timing is not None:
            last = timing.waits[-1]
            # The one with the plan plays second. What the honest one takes is the machine's.
            is_bad = len(timing.waits) % 2 == 0
            due = last.asked + (LIMIT if is_bad else last.taken) + LIMITS.last_play + MAX_MORE
            if self.recorded > due:
                found.append(f"recorded after {self.recorded:.2f} s, not {due:.2f} s")
        if self.released - self.recorded > LIMITS.grace + MAX_MORE:
            found.append(f"released {self.released - self.recorded:.2f} s later")
        if self.longest_pass > MAX_PASS:
            found.append(f"a pass of {self.longest_pass:.3f} s holds up other games")
        return found


async def play(plan: dict, walls: Resources) -> Report:
    """Play a game of an honest engine against one with a plan, then one of honest engines."""
    good = replace(fake(name="good", time="30"), resources=WALLS[0])
    calls = [[moment, *map(list_of, calls)] for moment, calls in plan.items()]
    bad = replace(composed(*calls, name="bad", time=str(CLOCK)), resources=walls)
    game = create_game("odd", 2)
    passes, recorded = Passes(), math.inf
    before = peak_memory()

    def note(record: GameRecord) -> None:
        nonlocal recorded
        recorded = trio.current_time() - began

    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS)
        with trio.fail_after(MAX_SECONDS):
            trio.lowlevel.add_instrument(passes)
            began = trio.current_time()
            log = WireLog(io.StringIO(), began)
            first = await play_pooled_game(pool, game, (good, bad), log=log, ended=note)
            released = trio.current_time() - began
            trio.lowlevel.remove_instrument(passes)
            second = await play_pooled_game(pool, game, (good, good))
            next_seconds = trio.current_time() - began - released
            await pool.stop()
    return Report(
        first,
        recorded,
        released,
        second.outcome.termination,
        next_seconds,
        passes.worst,
        peak_memory() - before,
    )


def list_of(call: tuple) -> list:
    """A call as JSON has it."""
    return [list_of(part) if isinstance(part, tuple) else part for part in call]


def zombies() -> set[str]:
    """Our children that nobody has reaped."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state == "Z" and int(parent) == os.getpid():
            found.add(path.parent.name)
    return found


@cache
def warm_up() -> None:
    """Import and look up what is needed once, which is not a plan's fault."""
    trio.run(play, {}, WALLS[-1])


def takes_time(calls: list | tuple) -> bool:
    """Return whether one of these calls may well use up a clock, or hide from us what follows."""
    slow = {("close", 1), ("reopen", 1), ("ptrace",)}
    return any(
        call[0] in ("delay", "flood")
        or tuple(call) in slow
        or signal.SIGSTOP in call[1:]
        or (call[0] == "fork" and takes_time(call[1:]))
        for call in calls
    )


def wrong_ruling(plan: dict, outcome: Outcome) -> str | None:
    """Return why this cannot be how a game with the plan ends."""
    forges = any(call[0] == "forge" for moment in ASKED & plan.keys() for call in plan[moment])
    if forges and outcome.termination in BY_THE_RULES:
        return "answers in advance went through"
    all_calls = [call for calls in plan.values() for call in calls]
    if outcome.termination is Termination.TIME and not takes_time(all_calls):
        return "nothing in the plan takes time"
    return None


def check(plan: dict, walls: Resources) -> Termination:
    """Play with the plan, and return how its game ended.

    What a machine that is too slow might explain must happen three times.
    """
    warm_up()
    for _ in range(3):
        report = once(plan, walls)
        outcome = report.record.outcome
        complaints = report.complaints()
        if wrong := wrong_ruling(plan, outcome):
            complaints.append(wrong)
        if not complaints:
            return outcome.termination
    event("too slow to judge" if report.was_slow else "wrong")
    assert report.was_slow or not complaints, (complaints, outcome)
    return outcome.termination


def once(plan: dict, walls: Resources) -> Report:
    """Play with the plan, and judge it by what no slowness explains."""
    before = zombies()
    gc.collect()
    # A collection of all that the tests have made would be a pass of its own.
    gc.disable()
    try:
        # An engine without walls may stop us.
        with guarded():
            report = trio.run(play, plan, walls)
    finally:
        gc.enable()
    outcome = report.record.outcome
    if not outcome.is_abandoned:
        assert outcome.termination in BY_THE_RULES or outcome.winner == 0, outcome
        assert not outcome.is_void, outcome
    assert report.next_game in BY_THE_RULES, report.next_game
    assert report.grown < MAX_GROWTH
    assert left_running(str(os.getpid())) == []
    assert sleepers(LONG) == set()
    assert zombies() <= before
    return report
