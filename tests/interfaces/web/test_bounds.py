"""Shares of tables, sockets, requests and the engine, on a clock of the test's own."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.interfaces.web.bounds import Allowances, Slices, gives_way


def test_whoever_has_most_gives_way_to_whoever_has_less():
    taken = dict.fromkeys("abcdefgh", "greedy")
    assert gives_way(taken, "other") == "a"
    assert gives_way(taken, "greedy") is None
    assert gives_way({}, "other") is None


@given(st.lists(st.sampled_from("xyz"), max_size=60))
def test_eight_places_end_up_shared_evenly_among_all_who_want_them(wishes):
    taken = {}
    for number, address in enumerate(wishes):
        if len(taken) == 8:
            spare = gives_way(taken, address)
            if spare is None:
                continue
            del taken[spare]
        taken[number] = address
    had, wanted = Counter(taken.values()), Counter(wishes)
    for address in wanted:
        # Nobody has less than a fair share unless they wanted no more.
        assert had[address] >= min(wanted[address], 8 // len(wanted))


def test_an_address_spends_its_burst_and_then_its_rate():
    allowances = Allowances(rate=0.5, burst=3)
    assert [allowances.spend("a", 100.0) for _ in range(5)] == [True] * 3 + [False] * 2
    assert allowances.wait("a", 100.0) == pytest.approx(2.0)
    assert allowances.spend("b", 100.0)
    # Refusals cost nothing.
    assert allowances.spend("a", 102.0)
    assert not allowances.spend("a", 103.9)
    assert [allowances.spend("a", 1000.0) for _ in range(4)] == [True] * 3 + [False]


@given(st.lists(st.floats(0, 2), max_size=200))
def test_no_flood_passes_more_than_burst_and_rate(pauses):
    allowances, now, passed = Allowances(rate=2.0, burst=5), 0.0, 0
    for pause in pauses:
        now += pause
        passed += allowances.spend("a", now)
    assert passed <= 5 + 2.0 * now + 1e-6


def test_addresses_without_number_cost_no_memory_and_free_nobody():
    allowances = Allowances(rate=0.001, burst=2, most=100)
    for number in range(1000):
        allowances.spend(f"stranger {number}", float(number))
        allowances.spend("flood", float(number))
        allowances.spend("flood", float(number))
    assert len(allowances._full_at) <= 100
    assert not allowances.spend("flood", 999.5)


class Engine:
    """Who was thought of, for how long, on a clock of its own."""

    def __init__(self):
        self.slices = Slices(longest=1.0, shortest=0.3, cycle=1.4)
        self.now = 0.0
        self.first = {}
        self.had = Counter()

    def think(self):
        item = self.slices.next()
        address = self.slices.taken[item]
        self.now += self.slices.length
        self.first.setdefault(item, self.now)
        self.had[address] += self.slices.length
        self.slices.used(item, address, self.slices.length)


def test_four_visitors_all_see_a_thought_within_two_seconds():
    engine = Engine()
    for name in "abcd":
        engine.slices.add(name, name)
    for _ in range(8):
        engine.think()
    assert max(engine.first.values()) <= 2.0
    assert len(set(engine.had.values())) == 1


def test_an_address_that_asks_ten_times_has_no_more_than_one_that_asks_once():
    engine = Engine()
    for number in range(10):
        engine.slices.add(number, "greedy")
    engine.slices.add("one", "modest")
    for _ in range(100):
        engine.think()
    assert engine.had["modest"] == pytest.approx(engine.had["greedy"], abs=1.0)
    assert set(engine.first) == {*range(10), "one"}


def test_asking_anew_each_time_gains_nothing():
    engine = Engine()
    engine.slices.add("steady", "modest")
    for number in range(100):
        engine.slices.add(number, "greedy")
        engine.think()
        engine.slices.remove(number)
        engine.think()
    assert engine.had["modest"] >= engine.had["greedy"]


def test_whoever_leaves_frees_the_share_at_once():
    engine = Engine()
    for name in "abcd":
        engine.slices.add(name, name)
    before = engine.slices.length
    for name in "abc":
        engine.slices.remove(name)
    assert engine.slices.next() == "d"
    assert engine.slices.length > before
    engine.slices.remove("d")
    assert engine.slices.next() is None
