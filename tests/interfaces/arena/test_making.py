"""An arena that is made anew from its folder, as after a restart."""

from types import SimpleNamespace

import pytest
import trio

from oddly.arena import Hello, JoinRefused, Welcome
from oddly.arena.effects import Send
from oddly.arena.pairing import GameToBegin
from oddly.arena.rulings import KeeperOrder, obey
from oddly.arena.store.arena_file import ArenaFile
from oddly.interfaces.arena import making
from oddly.interfaces.arena.hosting import draw_openings
from oddly.interfaces.arena.making import furnish, make_arena, open_store
from oddly.interfaces.arena.settings_file import load_arena
from oddly.tournaments.openings.openings import AHEAD
from tests.arena.test_registry import HOST, join_of
from tests.interfaces.arena.hosting import FILE, POOL

THERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"


def test_an_address_registers_no_more_engines_a_day_after_a_restart(tmp_path):
    """The bug: a restart of the arena let every address register anew."""
    path = tmp_path / "arena.toml"
    path.write_text(FILE.format(port=1, more="engines_per_address = 2"), encoding="utf-8")
    configuration = load_arena(path)

    def answer(address, name):
        """What an engine hears that joins from an address, at an arena that has just started."""
        with open_store(configuration) as store:
            arena = make_arena(configuration, store, f"http://{HOST}")
            now = store.heartbeat
            session = arena.open(address, HOST, now)
            heard = messages(arena, store, now)
            (nonce,) = (message.nonce for message in heard if isinstance(message, Hello))
            arena.hear(session, join_of(name, owner=name, nonce=nonce, pools=()), now)
            return messages(arena, store, now)[0]

    assert isinstance(answer(THERE, "one"), Welcome)
    assert isinstance(answer(THERE, "two"), Welcome)
    refused = answer(THERE, "three")
    assert isinstance(refused, JoinRefused)
    assert refused.reason == f"{THERE} has registered 2 engines within a day"
    assert isinstance(answer(ELSEWHERE, "three"), Welcome)
    assert isinstance(answer(THERE, "one"), Welcome)
    assert THERE.encode() not in (tmp_path / "arena" / "arena.db").read_bytes()


def test_an_anchor_is_found_by_its_new_name_after_a_restart_and_reported_if_nobody_has_it(
    tmp_path, monkeypatch
):
    path, reported = tmp_path / "arena.toml", []
    anchors = 'anchors = { "house one" = 1200.0, "hose two" = 800.0 }\n'
    path.write_text(FILE.format(port=1, more="") + anchors, encoding="utf-8")
    configuration = load_arena(path)
    monkeypatch.setattr(making, "report", reported.append)

    def anchors_at_start(order=None):
        """The anchors of an arena that has just started, and then carries out an order."""
        with open_store(configuration) as store:
            arena = make_arena(configuration, store, f"http://{HOST}")
            furnish(configuration, arena, None)
            found = set(arena.pools[POOL].facts.anchors)
            for name in ("house one", "house two") if order is None else ():
                nonce = arena.sessions.by_number[arena.open(THERE, HOST, 0.0)].nonce
                arena.registry.join(join_of(name, nonce=nonce), nonce, [HOST], "2026-01-01")
            if order is not None:
                obey(arena, order, None, 0.0)
            messages(arena, store, 0.0)
            return found

    assert anchors_at_start() == {"house one", "hose two"}
    said = f"the anchor {{!r}} of the pool '{POOL}' is no engine here yet{{}}".format
    assert reported == [said("house one", ""), said("hose two", "")]
    reported.clear()
    assert anchors_at_start(KeeperOrder("rename", "house one", "home", "x")) == {
        "house one", "hose two"
    }  # fmt: skip
    assert anchors_at_start(KeeperOrder("rename", "home", "house 1", "x")) == {"home", "hose two"}
    assert {*reported} == {said("hose two", "; did you mean 'house two'?")}


POOLS = """
[arena]
name = "Test"
port = 1

[[pool]]
game = "xodd"
size = 3
time = "5+0.5"
name = "one-turn"
opening_turns = 1

[[pool]]
game = "xodd"
size = 4
time = "5+0.5"
name = "two-turns"
"""
ROUNDS = 24
"""Rounds with more openings than the smaller board has of one turn."""


@pytest.mark.sampled
def test_after_a_restart_all_pairs_of_all_pools_begin_at_once(tmp_path, monkeypatch):
    """The bug: an arena drew all openings of its pools again, and meanwhile began few games."""
    path = tmp_path / "arena.toml"
    path.write_text(POOLS, encoding="utf-8")
    configuration = load_arena(path)
    # With most other seeds, the smaller board has no balanced opening of one turn.
    monkeypatch.setattr(ArenaFile, "seed", lambda _: 1)
    with open_store(configuration) as store:
        arena, before = make_arena(configuration, store, HOST), {}
        for name, pool in arena.pools.items():
            pool.book.opening(ROUNDS)
            for _ in range(ROUNDS):
                game = pool.next_game("ann", "bob")
                before[name, game.round] = game.opening
                arena.play.begin(GameToBegin(pool, game, is_second=False), ("", ""), 0.0)
        store.write(arena.take(), 0.0)
    assert len(set(before.values())) == len(before) - 1
    assert {len(opening) for opening in before.values()} == {0, 1, 2}
    monkeypatch.setattr("oddly.tournaments.openings.openings.draw_in_child", draws_nothing)
    with open_store(configuration) as store:
        arena = make_arena(configuration, store, HOST)
    for name, pool in arena.pools.items():
        for round_ in range(1, ROUNDS - AHEAD):
            game = pool.next_game("ann", "cid")
            assert game.opening == before[name, round_]
            pool.met[frozenset(("ann", "cid"))] = round_


def draws_nothing(*_):
    raise AssertionError


@pytest.mark.sampled
@pytest.mark.parametrize("turns", [1, 3])
def test_openings_of_another_length_are_drawn_again(tmp_path, turns):
    path = tmp_path / "arena.toml"
    assert len(rounds_of(path, 2, "bob", 2)[2]) == 2
    path.write_text(f"{POOLS}opening_turns = {turns}\n", encoding="utf-8")
    configuration = load_arena(path)
    with open_store(configuration) as store:
        arena = make_arena(configuration, store, HOST)
    assert len(arena.pools["two-turns"].book.opening(2)) == turns


def rounds_of(path, turns, opponent, rounds):
    """The openings of the rounds that two engines play at an arena that has just started."""
    path.write_text(f"{POOLS}opening_turns = {turns}\n", encoding="utf-8")
    configuration = load_arena(path)
    with open_store(configuration) as store:
        arena, openings = make_arena(configuration, store, HOST), {}
        pool = arena.pools["two-turns"]
        for _ in range(rounds):
            pool.book.opening(pool.met[frozenset(("ann", opponent))] + 1)
            game = pool.next_game("ann", opponent)
            openings[game.round] = game.opening
            arena.play.begin(GameToBegin(pool, game, is_second=False), ("", ""), 0.0)
        store.write(arena.take(), 0.0)
    return openings


@pytest.mark.sampled
def test_longer_openings_of_an_earlier_setting_do_not_come_back_with_a_restart(tmp_path):
    """The bug: where the setting was lowered, a restart brought the longer openings back."""
    path = tmp_path / "arena.toml"
    assert len(rounds_of(path, 3, "bob", 9)[9]) == 3
    before = rounds_of(path, 2, "cid", 4)
    for opponent in ("dan", "eve"):
        after = rounds_of(path, 2, opponent, 9)
        assert {number: after[number] for number in before} == before
        assert {len(opening) for opening in after.values()} == {0, 2}


@pytest.mark.parametrize(("turns", "is_due"), [(3, True), (2, False)])
def test_the_second_game_of_a_pair_has_an_opening_of_the_present_setting_or_is_not_played(
    tmp_path, turns, is_due
):
    path = tmp_path / "arena.toml"
    rounds_of(path, 3, "bob", 1)
    path.write_text(f"{POOLS}opening_turns = {turns}\n", encoding="utf-8")
    with open_store(load_arena(path)) as store:
        arena = make_arena(load_arena(path), store, HOST)
        (identity,) = arena.play.games
        for player in ("ann", "bob"):
            arena.play.set_up(player, identity, 0.0)
        # The first player says nothing, and loses on time.
        for now in (1_000.0, 2_000.0):
            arena.play.look(now)
            arena.play.asked(identity, now)
        assert not arena.play.games
    assert len(arena.pools["two-turns"].due) == is_due


@pytest.mark.parametrize(("turns", "are_known"), [(2, True), (1, False)])
def test_openings_of_older_games_are_known_if_all_have_the_length_of_the_setting(
    tmp_path, turns, are_known
):
    """Older games do not tell with which setting they were played."""
    path = tmp_path / "arena.toml"
    rounds_of(path, 2, "bob", 4)
    configuration = load_arena(path)
    with open_store(configuration) as store, store.file.connection as connection:
        connection.execute("update games set plan = json_remove(plan, '$.opening_turns')")
        found = store.file.openings({"two-turns": turns})["two-turns"]
    assert [*found] == [2, 3, 4] * are_known


async def test_openings_are_drawn_for_all_pools_in_turn(nursery, autojump_clock):
    """The bug: a pool with many openings to draw held up all others."""
    asked = []

    class Book:
        def __init__(self, missing):
            self.missing = missing

        def preparation(self, number):
            return self.draw if self.missing else None

        def draw(self):
            asked.append(self)
            self.missing -= 1

    books = [Book(3), Book(1)]
    pools = {n: SimpleNamespace(met={}, book=book) for n, book in enumerate(books)}
    nursery.start_soon(draw_openings, SimpleNamespace(pools=pools))
    while books[0].missing:
        await trio.sleep(1.0)
    assert asked == [books[0], books[1], books[0], books[0]]


def messages(arena, store, now):
    """What the arena says next, once it is written."""
    batch = arena.take()
    store.write(batch, now)
    return [each.message for each in batch.out if isinstance(each, Send)]
