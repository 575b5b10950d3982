"""An arena that is made anew from its folder, as after a restart."""

from oddly.arena import Hello, JoinRefused, Welcome
from oddly.arena.effects import Send
from oddly.interfaces.arena.making import make_arena, open_store
from oddly.interfaces.arena.settings_file import load_arena
from tests.arena.test_registry import HOST, join_of
from tests.interfaces.arena.hosting import FILE

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


def messages(arena, store, now):
    """What the arena says next, once it is written."""
    batch = arena.take()
    store.write(batch, now)
    return [each.message for each in batch.out if isinstance(each, Send)]
