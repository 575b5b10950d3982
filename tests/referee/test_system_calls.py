"""Engines composed of system calls at moments, by Hypothesis: only they lose, and nothing is left.

Their games end in time, delay no other game, and take no memory that grows. A few examples run
every day; `pytest --soak` tries hundreds. A failing plan is printed as it is given.
"""

import signal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddly.referee.justice.outcome import Termination
from tests.referee.composed_games import CLOCK, LONG, PLANS, WALLS, check


def with_examples(number: int):
    return settings(
        max_examples=number,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        print_blob=True,
    )


@pytest.mark.sampled
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
    "its child stops the referee": {
        "start1": [
            ("close", 1),
            (
                "fork",
                ("signal_parent", signal.SIGSEGV),
                ("setsid",),
                ("signal_parent", signal.SIGSTOP),
            ),
            ("signal", signal.SIGSTOP),
        ]
    },
    "stopped at the last turn": {"play4": [("signal", signal.SIGSTOP)]},
}
"""Plans that fooled or held up an earlier referee."""
ENDINGS = {
    "traced and gone": Termination.CRASH,
    "a child holds the pipes, and no standard error": Termination.CRASH,
    "answers in advance": Termination.PROTOCOL,
    "a late answer": Termination.TIME,
}
"""How these games must end; the others may end in several ways."""


@pytest.mark.sampled
@pytest.mark.parametrize("walls", WALLS, ids=lambda walls: walls.isolation.value)
@pytest.mark.parametrize("plan", FOUND)
def test_what_was_found_once_stays_found(plan, walls):
    ending = check(FOUND[plan], walls)
    assert ending is ENDINGS.get(plan, ending)
