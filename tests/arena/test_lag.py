"""Credit for lag: what round trips justify, within a quota, and judged again from the record."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena.sessions import FIRST_PINGS, PINGS, RoundTrips
from oddly.protocol import parse_time_control
from oddly.referee.justice.clock import LagCredits, LagQuota, QuotaRule, Timing, Wait, quota_rule
from oddly.referee.justice.outcome import Termination

controls = st.sampled_from(
    ["0.3+0", "1+0.1", "5+0.1", "60+1", "600+20/300", "600+5x30", "2", "none"]
)


@given(controls, st.lists(st.floats(0, 100), max_size=60))
def test_no_series_of_credits_exceeds_the_quota(control, wanted):
    rule = quota_rule(parse_time_control(control))
    quota, total = LagQuota(rule), 0.0
    for seconds in wanted:
        credit = min(seconds, quota.left)
        quota.spend(credit)
        total += credit
        assert 0 <= quota.left <= rule.most
    assert total <= rule.start + rule.gain * len(wanted) + 1e-9


@pytest.mark.parametrize(
    ("control", "start", "gain", "most"),
    [
        ("0.3+0", 0.3225, 0.1075, 0.7525),
        ("5+0.1", 0.975, 0.325, 2.275),
        ("600+0", 3, 1, 7),
        ("none", 3, 1, 7),
    ],
)
def test_the_quota_follows_the_time_control(control, start, gain, most):
    assert quota_rule(parse_time_control(control)) == pytest.approx((start, gain, most))


def test_the_longest_of_the_last_round_trips_justifies():
    trips = RoundTrips()
    assert trips.justified == 0
    for number in range(20):
        ping = trips.new_ping(number)
        trips.sent(ping, number)
        trips.heard(ping, number + (0.4 if number == 3 else 0.1))
        trips.heard(ping, number + 50)
        trips.heard(999, number)
        expected = 0.4 if 3 <= number < 3 + PINGS else 0.1
        assert max(trips._last) == pytest.approx(expected)


def test_pings_without_an_answer_are_forgotten():
    trips = RoundTrips()
    for number in range(1000):
        trips.sent(trips.new_ping(number), number)
    assert len(trips._sent) <= 16


RULE = QuotaRule(0.3, 0.1, 0.7)


def timing_of(given_, taken):
    waits = tuple(Wait(n, n + 0.5, seconds) for n, seconds in enumerate(taken))
    timing = Timing(("5+0", "5+0"), 0.0, waits, LagCredits(RULE, tuple(given_)))
    again = Timing.from_json(timing.as_json())
    assert again == timing
    return again.contradictions(0, len(waits), Termination.GOAL)


def test_credits_are_judged_again():
    assert timing_of([0.3, 0.0, 0.1, 0.4], [0.2, 0.5, 0.4, 0.1]) == []
    (said,) = timing_of([0.4, 0.0], [0.1, 0.5])
    assert said == "turn 1 was credited 0.400 s of a quota of 0.300 s"
    (said,) = timing_of([0.3, 0.0], [0.3, 0.5])
    assert said == "turn 1 took 0.300 s besides a credit of 0.300 s, in 0.500 s"
    (said,) = timing_of([0.3], [0.2, 0.5])
    assert said == "2 waits are stamped, but 1 credits"


@pytest.mark.parametrize(
    ("control", "trip", "jitter", "most"), [("0.3+0", 0.08, 0.02, 0.1), ("5+0.1", 0.3, 0.05, 0.5)]
)
def test_lag_is_credited_nearly_whole(control, trip, jitter, most):
    draw = random.Random(3)
    rule = quota_rule(parse_time_control(control))
    for _ in range(200):
        trips, quota, lost = RoundTrips(), LagQuota(rule), 0.0
        for turn in range(60):
            for _ in range(FIRST_PINGS if turn == 0 else turn % 10 == 0):
                ping = trips.new_ping(0.0)
                trips.sent(ping, 0.0)
                trips.heard(ping, trip + draw.uniform(-jitter, jitter))
            lag = trip + draw.uniform(-jitter, jitter)
            credit = min(lag, trips.justified, quota.left)
            quota.spend(credit)
            lost += lag - credit
        assert lost < most
