"""Engines composed of system calls at moments, by Hypothesis: only they lose, and nothing is left.

An engine is `tests/fakes/composed.py` with a plan: at some of its moments it writes, closes and
reopens its pipes, forks, leaves its session, traces, signals, delays, floods and exits. A few
examples run every day; `pytest --soak` tries hundreds. A failing plan is printed as it is given.
"""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.catalogue import create_game
from referee.isolation import why_not
from referee.limits import Limits
from referee.match import play_pooled_game
from referee.outcome import Termination
from referee.pool import EnginePool
from referee.resources import Isolation, Resources
from tests.referee.fakes import composed, fake
from tests.referee.fault_suite import MARK, left_running
from tests.referee.test_ending import sleepers

CLOCK = 0.5
LIMITS = Limits(handshake=5.0, setting_up=5.0, last_play=0.5, grace=0.4)
MAX_SECONDS = 60.0
"""In which a pair of games ends on any machine, however busy; a hang takes for ever."""
LONG = f"3800.{os.getpid()}"
BY_THE_RULES = (Termination.BOARD_FULL, Termination.DOUBLE_PASS)

MOMENTS = ("start1", "ask1", "half1", "done1", "play2", "ask2", "half2", "done2", "play4", "quit1")
FDS = st.sampled_from((0, 1, 2))
SIGNALS = st.sampled_from([signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL, signal.SIGSTOP])
OWN = st.one_of(
    st.tuples(st.just("write"), st.sampled_from((1, 2)), st.sampled_from(("x", "\n\n", "=\n\n"))),
    st.tuples(st.just("flood"), st.sampled_from((1, 2)), st.sampled_from((100, 70_000, 3_000_000))),
    st.tuples(st.just("close"), FDS),
    st.tuples(st.just("reopen"), FDS),
    st.tuples(st.just("ignore"), st.sampled_from([signal.SIGTERM, signal.SIGPIPE])),
    st.tuples(st.just("delay"), st.sampled_from((0.01, 0.1, 2 * CLOCK))),
    st.tuples(st.just("setsid")),
    st.tuples(st.just("forge"), st.integers(1, 4)),
)
LAST = st.one_of(
    st.tuples(st.just("exit"), st.sampled_from((0, 3))),
    st.tuples(st.just("signal"), SIGNALS),
)
IN_CHILD = st.one_of(
    OWN,
    st.tuples(st.just("ptrace")),
    st.tuples(st.just("wipe"), st.just(LONG)),
    st.tuples(st.just("signal_parent"), SIGNALS),
)
CHILD = st.lists(IN_CHILD, max_size=3).map(lambda calls: ("fork", *calls))
CALLS = st.lists(st.one_of(OWN, CHILD, LAST), min_size=1, max_size=3)
PLANS = st.dictionaries(st.sampled_from(MOMENTS), CALLS, min_size=1, max_size=3)
WALLS = [Resources(environment={MARK: str(os.getpid())}, isolation=Isolation.NONE)]
if why_not() is None:
    WALLS.append(replace(WALLS[0], isolation=Isolation.BUBBLEWRAP))


async def play(plan: dict, walls: Resources):
    """A game of an honest engine against one with a plan, then one of honest engines."""
    good = replace(fake(name="good", time="30"), resources=WALLS[0])
    calls = [[moment, *map(list_of, calls)] for moment, calls in plan.items()]
    bad = replace(composed(*calls, name="bad", time=str(CLOCK)), resources=walls)
    game = create_game("odd", 2)
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, LIMITS)
        with trio.fail_after(MAX_SECONDS):
            first = await play_pooled_game(pool, game, (good, bad))
            second = await play_pooled_game(pool, game, (good, good))
            await pool.stop()
    return first.outcome, second.outcome


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


def check(plan: dict, walls: Resources) -> Termination:
    """Play with the plan, and return how its game ended."""
    before = zombies()
    outcome, after = trio.run(play, plan, walls)
    assert outcome.termination in BY_THE_RULES or outcome.winner == 0, outcome
    assert not outcome.is_void, outcome
    assert after.termination in BY_THE_RULES, after
    assert left_running(str(os.getpid())) == []
    assert sleepers(LONG) == set()
    assert zombies() <= before
    return outcome.termination


def with_examples(number: int):
    return settings(
        max_examples=number,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        print_blob=True,
    )


@given(plan=PLANS, walls=st.sampled_from(WALLS))
@with_examples(8)
def test_only_the_guilty_loses_and_nothing_is_left(plan, walls):
    check(plan, walls)


@pytest.mark.soak
@given(plan=PLANS, walls=st.sampled_from(WALLS))
@with_examples(300)
def test_only_the_guilty_loses_and_nothing_is_left_many_times(plan, walls):
    check(plan, walls)


TRACED = ("fork", ("setsid",), ("ptrace",))
HIDDEN = ("fork", ("setsid",), ("fork", ("wipe", LONG)), ("exit", 0))
FOUND = {
    "traced and gone": {"ask2": [TRACED, ("exit", 3)]},
    "traced to the end": {"done2": [TRACED]},
    "a child holds the pipes, and no standard error": {
        "ask1": [("close", 2), ("fork",), ("exit", 0)]
    },
    "answers in advance": {"done1": [("forge", 3)]},
    "a late answer": {"half1": [("delay", 2 * CLOCK)]},
    "hidden and mute": {"ask2": [HIDDEN, ("close", 1)]},
    "stubborn to the end": {
        "quit1": [("ignore", signal.SIGTERM), ("flood", 2, 3_000_000), ("delay", 3600)]
    },
    "stopped at the last turn": {"play4": [("signal", signal.SIGSTOP)]},
}
"""Plans that fooled or held up an earlier referee."""
ENDINGS = {
    "a child holds the pipes, and no standard error": Termination.CRASH,
    "answers in advance": Termination.PROTOCOL,
    "a late answer": Termination.TIME,
}
"""How these games must end; the others may end in several ways."""


@pytest.mark.parametrize("walls", WALLS, ids=lambda walls: walls.isolation.value)
@pytest.mark.parametrize("plan", FOUND)
def test_what_was_found_once_stays_found(plan, walls):
    ending = check(FOUND[plan], walls)
    assert ending is ENDINGS.get(plan, ending)
