"""How much one address and one owner may send and register."""

import pytest

from oddly.arena.sessions import BURST, DAY, KEPT, Addresses, ArenaLimits, Budgets, Traffic

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
