"""An arena that is made anew from its folder, as after a restart."""

from oddly.arena import Hello, JoinRefused, Welcome
from oddly.arena.effects import Send
from oddly.arena.orders import KeeperOrder
from oddly.arena.rulings import obey
from oddly.interfaces.arena import making
from oddly.interfaces.arena.making import furnish, make_arena, open_store
from oddly.interfaces.arena.settings_file import load_arena
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


def messages(arena, store, now):
    """What the arena says next, once it is written."""
    batch = arena.take()
    store.write(batch, now)
    return [each.message for each in batch.out if isinstance(each, Send)]
