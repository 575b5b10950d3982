"""Sessions: what round trips justify within a quota of lag, and how much one address may send.

Credits are judged again from the record. An owner may register only so much.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena.sessions import (
    BURST,
    DAY,
    FIRST_PINGS,
    KEPT,
    PINGS,
    Addresses,
    ArenaLimits,
    Budgets,
    RoundTrips,
    Traffic,
)
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


THERE = "192.0.2.1"


def test_a_budget_is_spent_and_comes_back():
    budgets = Budgets(rate=2.0, most=10.0)
    assert budgets.spend("one", 10, now=0)
    assert not budgets.spend("one", 1, now=0)
    assert budgets.spend("other", 10, now=0)
    assert budgets.spend("one", 4, now=2)
    assert budgets.left("one", now=100) == 10


def test_the_budgets_of_many_take_bounded_room():
    budgets = Budgets(rate=1.0, most=2.0)
    for number in range(KEPT + 10):
        budgets.spend(str(number), 2, now=0)
    assert len(budgets._left) == KEPT
    assert not budgets.spend(str(KEPT), 1, now=0)


def test_connections_are_counted_in_all_and_by_address():
    addresses = Addresses(in_all=3, from_one=1)
    with addresses.one_from("192.0.2.1") as one:
        assert one == ""
        with addresses.one_from("192.0.2.1") as two:
            assert two.startswith("1 connections of 192.0.2.1 are open")
        with addresses.one_from("127.0.0.1") as here, addresses.one_from("127.0.0.1") as again:
            assert here == again == ""
            with addresses.one_from("192.0.2.9") as full:
                assert full.startswith("3 connections are open")
    with addresses.one_from("192.0.2.1") as one:
        assert one == ""
    assert not addresses._open


@pytest.mark.parametrize(("address", "owner"), [(THERE, None), ("127.0.0.1", "ann")])
def test_bytes_are_counted_for_addresses_and_owners(address, owner):
    traffic = Traffic(ArenaLimits(bytes_per_second=100))
    for _ in range(BURST):
        assert traffic.excess(address, owner, 100, now=0) == ""
    said = traffic.excess(address, owner, 1, now=0)
    assert said.startswith("more than 100 bytes a second from ")
    assert (owner or address) in said
    assert traffic.excess(address, owner, 100, now=1.0) == ""


def test_this_machine_is_no_address_that_is_bounded():
    traffic = Traffic(ArenaLimits(bytes_per_second=1, engines_a_day=1))
    for _ in range(3):
        assert traffic.excess("::1", None, 100, now=0) == ""
        assert traffic.excess("::ffff:127.0.0.1", None, 100, now=0) == ""
        assert traffic.may_register("127.0.0.1", now=0)
        assert traffic.registered("127.0.0.1", now=0) is None


def test_an_address_registers_some_engines_a_day():
    traffic = Traffic(ArenaLimits(engines_a_day=2))
    for _ in range(2):
        assert traffic.may_register(THERE, now=0)
        traffic.registered(THERE, now=0)
    assert not traffic.may_register(THERE, now=100)
    assert traffic.may_register("192.0.2.2", now=100)
    assert traffic.may_register(THERE, now=DAY / 2)


def test_what_an_address_may_register_is_kept_without_the_address():
    limits = ArenaLimits(engines_a_day=2)
    traffic, other = Traffic(limits, seed=7), Traffic(limits, seed=8)
    stored = [traffic.registered(THERE, now=0), traffic.registered(THERE, now=DAY / 4)]
    assert [round(each.left, 2) for each in stored] == [1.0, 0.5]
    assert len({each.address for each in (*stored, other.registered(THERE, now=0))}) == 2
    assert not any(THERE in each.address for each in stored)
    again = Traffic(limits, seed=7)
    again.restore(stored)
    assert not again.may_register(THERE, now=DAY / 4)
    assert again.may_register(THERE, now=DAY)
