"""Real engines at an arena over real TCP and TLS, through a network that breaks in every way."""

import itertools
import math
import random
import ssl
import sys
from functools import partial

import pytest
import trio
import trustme

from oddly.arena import pairing, sessions
from oddly.arena.client import connection, joining
from oddly.arena.client.connection import parse_arena_url
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity
from oddly.arena.client.joining import Joining
from oddly.arena.client.machine import ClientMachine
from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration, Termination
from oddly.tournaments import Ledger, verify
from tests.arena.lossy import Fate, LossyProxy
from tests.arena.served import ServedArena, pool_of, stored

POOL = pool_of("xodd", 3, "30+1")
RANDOM = (sys.executable, "-m", "oddly", "engine", "random")
ENDS = ("reset", "close", "half-open", "deaf", "black hole")
BY_THE_RULES = {Termination.DOUBLE_PASS, Termination.BOARD_FULL, Termination.NO_MOVES}


def fates(chance, number, ends):
    """First one that lets the client in, then `number` that break, then good ones."""
    yield Fate(8000, "close")
    for end in itertools.islice(itertools.cycle(ends), number):
        yield Fate(chance.randrange(1, 12000), end, chance.random() * 0.05, chance.random() * 0.05)
    yield from itertools.repeat(Fate(math.inf, delay=0.01, jitter=0.01))


class Author:
    def __init__(self, name, url, authority, games) -> None:
        self.name, self.games, self.events = name, games, []
        self.address = parse_arena_url(url, authority)
        self.problem = None

    async def join(self, nursery):
        configuration = EngineConfiguration(self.name, RANDOM, NO_CLOCK)
        engine = ArenaEngine(configuration, nursery, lambda why: None)
        secret = random.Random(self.name).randbytes(32)
        who = Identity(self.name, self.name, self.name, secret, self.address.host)
        machine = ClientMachine(who, await engine.start(), self.games)
        self.problem = await Joining(machine, engine, self.address, self.events.append).run()

    def ends(self):
        return [event.game for event in self.events if event.NAME == "end"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("breaks", "games"), [(3, 8), pytest.param(100, 60, marks=pytest.mark.soak)]
)
async def test_no_game_is_lost_by_the_network(tmp_path, monkeypatch, breaks, games):
    # There are only two of them, who meet again and again.
    monkeypatch.setattr(pairing, "PATIENCE", 0.3)
    monkeypatch.setattr(sessions, "IDLE_PING_EVERY", 1.0)
    monkeypatch.setattr(joining, "SILENCE", 3.0)
    monkeypatch.setattr(joining, "SILENCE_IN_GAME", 3.0)
    monkeypatch.setattr(connection, "PATIENCE", 3.0)
    authority, chance = trustme.CA(), random.Random(breaks)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    with stored(tmp_path, [POOL]) as store:
        async with trio.open_nursery() as nursery:
            served = ServedArena(store, [POOL])
            nursery.start_soon(served.tick)

            async def secured(stream):
                await served.serve(
                    trio.SSLStream(stream, tls, server_side=True, https_compatible=True)
                )

            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, secured, listeners)
            port = listeners[0].socket.getsockname()[1]
            proxies = [
                LossyProxy(port, fates(chance, breaks, ends), chance)
                for ends in (ENDS, ENDS[3:] + ENDS[:3])
            ]
            authors = []
            async with trio.open_nursery() as joined:
                joined.cancel_scope.deadline = trio.current_time() + 40 * breaks
                for name, proxy in zip(("alpha", "beta"), proxies, strict=True):
                    url = f"wss://127.0.0.1:{await nursery.start(proxy.serve)}"
                    authors.append(Author(name, url, tmp_path / "ca.pem", games))
                    joined.start_soon(partial(authors[-1].join, nursery))
            nursery.cancel_scope.cancel()
    assert [author.problem for author in authors] == ["", ""]
    assert all(len(set(author.ends())) == len(author.ends()) == games for author in authors)
    path = tmp_path / f"{POOL.name}.sqlite"
    assert not verify(path).problems
    with Ledger(path, read_only=True) as ledger:
        records = ledger.records()
    assert set(authors[0].ends()) | set(authors[1].ends()) <= set(records)
    assert {record.outcome.termination for record in records.values()} <= BY_THE_RULES
    assert {end for proxy in proxies for end in proxy.ends} == set(ENDS)
