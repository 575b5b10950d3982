"""The arena with its store behind WebSockets, for tests: over memory or TCP."""

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trio
from trio_websocket import ConnectionClosed, wrap_server_stream

from oddly.arena import SUBPROTOCOL, WireError, parse_from_engine
from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.effects import Send
from oddly.arena.pool import PoolFacts, RatedPool
from oddly.arena.registry import Registry
from oddly.arena.store.store import ArenaStore
from oddly.games import create_game
from oddly.protocol import parse_time_control

TICK = 0.05
BROKEN = (ConnectionClosed, trio.BrokenResourceError, trio.ClosedResourceError)


def pool_of(game="xodd", size=3, time="10+1"):
    """A pool of one board."""
    name = f"{game}-{size}-{time}"
    return PoolFacts(name, create_game(game, size), parse_time_control(time), seed=3)


class ServedArena:
    """Serves connections. Clocks follow trio's."""

    def __init__(self, store: ArenaStore, pools, host: str = "", gather: float = 0.2) -> None:
        self.store = store
        self._base = store.file.heartbeat() - trio.current_time()
        hosts = (host,) if host else ()
        settings = ArenaSettings("Hall", "http://a", hosts, gather)
        self.arena = restored(settings, pools, store, self.now())
        self._outboxes: dict[int, trio.MemorySendChannel] = {}
        self.connections = 0

    def now(self) -> float:
        return self._base + trio.current_time()

    async def tick(self) -> None:
        while True:
            self.arena.tick(self.now())
            self.pump()
            await trio.sleep(TICK)

    def pump(self) -> None:
        """Do what the arena wants done."""
        while batch := self.arena.take():
            if batch.must_be_written or batch.writes:
                self.store.write(batch, self.now())
                self.store.file_games(batch)
            for each in batch.out:
                outbox = self._outboxes.get(each.session)
                if outbox is None:
                    continue
                if isinstance(each, Send):
                    outbox.send_nowait(each.message)
                else:
                    outbox.close()
            self.arena.sent(batch, self.now())

    async def serve(self, stream) -> None:
        """Serve a connection to its end."""
        self.connections += 1
        try:
            async with trio.open_nursery() as nursery:
                request = await wrap_server_stream(nursery, stream)
                host = request._event.host
                websocket = await request.accept(subprotocol=SUBPROTOCOL)
                await self._talk(websocket, host)
                await websocket.aclose()
                nursery.cancel_scope.cancel()
        except* BROKEN:
            pass
        finally:
            await trio.aclose_forcefully(stream)

    async def _talk(self, websocket, host: str) -> None:
        number = self.arena.open("here", host, self.now())
        outbox, outgoing = trio.open_memory_channel(math.inf)
        self._outboxes[number] = outbox
        try:
            async with trio.open_nursery() as nursery:

                async def send_all() -> None:
                    with suppress(*BROKEN):
                        async for message in outgoing:
                            await websocket.send_message(message.encoded())
                    nursery.cancel_scope.cancel()

                nursery.start_soon(send_all)
                self.pump()
                with suppress(*BROKEN):
                    while True:
                        text = await websocket.get_message()
                        try:
                            self.arena.hear(number, parse_from_engine(text), self.now())
                        except WireError as error:
                            self.arena.refuse(number, "bad-message", str(error))
                        self.pump()
                nursery.cancel_scope.cancel()
        finally:
            del self._outboxes[number]
            self.arena.closed(number)


def restored(settings: ArenaSettings, pools, store: ArenaStore, now: float) -> Arena:
    """An arena that goes on with what its store has."""
    file, rated, registry = store.file, [], Registry()
    registry.load(file.owners(), file.engines())
    results, met = file.results(), file.rounds_by_pair()
    for facts in pools:
        pool = RatedPool(facts)
        pool.load(results.get(facts.name, ()))
        pool.met.update({pair: n for (name, pair), n in met.items() if name == facts.name})
        rated.append(pool)
    arena = Arena(settings, rated, registry)
    arena.restore(file.running(), file.unheard(), now)
    return arena


@contextmanager
def stored(folder: Path, pools) -> Iterator[ArenaStore]:
    """A store that is quick, since no machine is going to lose its power."""
    with ArenaStore(folder, "Hall", pools) as store:
        store.file.connection.execute("pragma synchronous = off")
        yield store
