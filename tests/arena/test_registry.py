"""Who may play: names, keys, owners, families, invitations and limits."""

import random

import pytest

from oddly.arena import Join
from oddly.arena.names import skeleton
from oddly.arena.registry import (
    EngineState,
    JoinError,
    Owner,
    RegisteredEngine,
    RegistrationPolicy,
    Registry,
    RegistryLimits,
)
from oddly.arena.wire.proof import prove, public_key

HOST, NONCE, NOW = "arena.example", "ab" * 32, "2026-01-01T00:00:00+00:00"


def secret_of(owner):
    return random.Random(owner).randbytes(32)


def join_of(name, family=None, owner="ann", key_of=None, **changes):
    secret = secret_of(key_of or owner)
    proof = prove(secret, changes.pop("nonce", NONCE), changes.pop("host", HOST), name)
    facts = {"program": "mine 1", "about": "fast", "pools": ("p",), "invitation": None}
    return Join(name, family or name, owner, public_key(secret), proof, **(facts | changes))


def join(registry, *words, **options):
    return registry.join(join_of(*words, **options), NONCE, [HOST], NOW)


def refused(registry, *words, **options):
    before = len(registry.engines), len(registry.owners)
    with pytest.raises(JoinError) as caught:
        join(registry, *words, **options)
    assert (len(registry.engines), len(registry.owners)) == before
    assert caught.value.reason
    return caught.value.code


def test_the_first_time_registers_and_later_ones_return():
    registry = Registry()
    engine, is_new = join(registry, "mine 1.5", "mine")
    assert is_new
    assert (engine.slug, engine.owner, engine.state) == ("mine-1.5", "ann", EngineState.PLAYS)
    again, is_new = join(registry, "mine 1.5", "mine", program="mine 2")
    assert not is_new
    assert again is engine
    assert again.program == "mine 2"
    assert registry.by_slug("mine-1.5") is engine
    assert registry.by_slug("mine 1.5") is None


def test_a_strangers_long_text_is_not_remembered():
    registry = Registry()
    engine, _ = join(registry, "mine 1.5", "mine")
    assert registry.alike("M-I-N-E 1.5") is engine
    skeleton.cache_clear()
    assert registry.alike("m" * 9000) is None
    assert registry.by_slug("m" * 9000) is None
    assert registry.present_name("m" * 9000) == "m" * 9000
    assert skeleton.cache_info().currsize == 0


def test_nobody_takes_anothers_name():
    registry = Registry()
    join(registry, "Bill", owner="ann")
    for name in ("Bill", "BiII", "bill", "B i l l"):
        assert refused(registry, name, owner="bob") == "name-taken"
    assert refused(registry, "BiII", owner="ann") == "name-taken"
    assert refused(registry, "other", owner="ann", key_of="bob") == "name-taken"
    assert refused(registry, "other", family="Bill", owner="bob") == "name-taken"


@pytest.mark.parametrize("changes", [{"nonce": "cd" * 32}, {"host": "elsewhere.example"}])
def test_a_proof_for_another_time_or_place_is_none(changes):
    assert refused(Registry(), "mine", **changes) == "bad-proof"


@pytest.mark.parametrize("name", ["<b>x</b>", "ä", "a" * 41, "..", "a\u200bb"])
def test_unfit_names_are_refused(name):
    for options in ({}, {"family": name}, {"owner": name}):
        assert refused(Registry(), name if not options else "mine", **options) == "bad-message"


def test_a_new_version_lets_the_old_one_rest_until_it_is_called_back():
    registry = Registry()
    old, _ = join(registry, "mine", "mine")
    new, _ = join(registry, "mine 2", "mine")
    assert (old.state, new.state) == (EngineState.RESTS, EngineState.PLAYS)
    join(registry, "mine", "mine")
    assert not registry.may_play(old)
    registry.set_state("mine", EngineState.PLAYS)
    assert registry.may_play(old)
    assert registry.may_play(new)
    assert not registry.are_apart(old, new)
    assert [engine.name for engine in registry.family("mine")] == ["mine", "mine 2"]


def test_an_owners_engines_do_not_meet_except_for_the_houses():
    registry = Registry()
    one, _ = join(registry, "one")
    two, _ = join(registry, "two")
    other, _ = join(registry, "other", owner="bob")
    assert not registry.are_apart(one, two)
    assert registry.are_apart(one, other)
    registry.owner("ann").is_house = True
    assert registry.are_apart(one, two)


def test_a_key_has_one_owner_and_an_owner_who_is_not_named_is_known_by_the_key():
    registry = Registry()
    mine, _ = join(registry, "mine", owner="", key_of="ann")
    other, _ = join(registry, "other", owner="", key_of="ann")
    assert (mine.owner, other.owner) == ("mine", "mine")
    assert [*registry.owners] == ["mlne"]
    assert refused(registry, "more", owner="ann", key_of="ann") == "name-taken"
    join(registry, "more", owner="mine", key_of="ann")
    assert refused(registry, "mine", owner="somebody", key_of="ann") == "name-taken"
    _, is_new = join(registry, "mine", owner="Mine", key_of="ann")
    assert not is_new
    assert not registry.are_apart(mine, other)
    registry.own_games = True
    assert registry.are_apart(mine, other)


def test_two_owners_of_one_key_in_an_older_file_are_one():
    registry = Registry()
    key = public_key(secret_of("ann"))
    owners = [Owner("ann", key), Owner("bea", key)]
    engines = [
        RegisteredEngine(name, name, name, owner, key)
        for name, owner in (("one", "ann"), ("two", "bea"))
    ]
    registry.load(owners, engines)
    assert not registry.are_apart(*engines)
    third, _ = join(registry, "three", owner="bea", key_of="ann")
    assert third.owner == "bea"
    assert refused(registry, "one", owner="cy", key_of="ann") == "name-taken"


def test_a_known_engine_keeps_its_family():
    registry = Registry()
    engine, _ = join(registry, "mine 1", "mine")
    join(registry, "mine 1", "other")
    assert engine.family == "mine"


def test_invitations_are_used_up():
    registry = Registry(RegistrationPolicy.INVITATION)
    registry.invitations["code"] = 1
    assert refused(registry, "mine") == "not-invited"
    assert refused(registry, "mine", invitation="wrong") == "not-invited"
    join(registry, "mine", invitation="code")
    assert registry.used_invitations == ["code"]
    assert refused(registry, "more", invitation="code") == "not-invited"
    _, is_new = join(registry, "mine")
    assert not is_new


def test_a_closed_arena_takes_only_those_it_knows():
    registry = Registry()
    join(registry, "mine")
    registry.policy = RegistrationPolicy.CLOSED
    assert refused(registry, "more") == "closed"
    join(registry, "mine")


def test_limits():
    registry = Registry(limits=RegistryLimits(of_owner=2, of_all=3))
    join(registry, "a1")
    join(registry, "a2")
    with pytest.raises(JoinError, match=r"^an owner may have 2 engines here$"):
        join(registry, "a3")
    assert refused(registry, "a3") == "too-many"
    join(registry, "b1", owner="bob")
    assert refused(registry, "c1", owner="cy") == "too-many"


def test_a_ban_holds_for_all_of_an_owner_and_can_be_lifted():
    registry = Registry()
    engine, _ = join(registry, "mine")
    registry.ban("ann", "a cheat")
    assert not registry.may_play(engine)
    assert refused(registry, "mine") == "banned"
    assert refused(registry, "more") == "banned"
    registry.ban("ann", "")
    assert registry.may_play(engine)
    join(registry, "mine")


def test_a_lost_key_is_replaced_by_the_keeper():
    registry = Registry()
    join(registry, "mine")
    registry.changed.clear()
    registry.hand_over("ann", public_key(secret_of("new")))
    assert refused(registry, "mine") == "name-taken"
    _, is_new = join(registry, "mine", key_of="new")
    assert not is_new
    assert registry.owner("ann") in registry.changed


def test_a_retired_engine_gets_no_games():
    registry = Registry()
    engine, _ = join(registry, "mine")
    registry.set_state("mine", EngineState.RETIRED)
    assert not registry.may_play(engine)
    with pytest.raises(KeyError):
        registry.set_state("Mine", EngineState.RETIRED)
