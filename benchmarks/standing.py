"""An arena in this process in which games are over and one runs, with its pages: for tests too."""

from __future__ import annotations

import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

import httpx2

from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.effects import Invited, Ruled
from oddly.arena.names import skeleton, slug
from oddly.arena.pairing import GameToBegin
from oddly.arena.pool import PoolFacts, RatedPool
from oddly.arena.registry import Owner, RegisteredEngine, Registry
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.messages import TurnSent, WireEvaluation
from oddly.games import create_game, random_turn
from oddly.interfaces.arena.pages.answers import arena_application
from oddly.interfaces.arena.routes import site_pages
from oddly.interfaces.arena.service import ArenaService, WriterThread
from oddly.protocol import parse_time_control

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from starlette.applications import Starlette

    from oddly.arena.game import ArenaGame

T = TypeVar("T")
POOLS = ("xodd-3", "yodd-3")
TIME = "5+0.5"
SAYS = WireEvaluation(0.75, 3, 100, 1.5)
DAY = "2026-01-01T00:00:00"


def facts_of(name: str, time: str = TIME) -> PoolFacts:
    """A pool of one of the names of POOLS."""
    game, size = name.split("-")
    return PoolFacts(name, create_game(game, int(size)), parse_time_control(time))


def register(registry: Registry, name: str, about: str = "") -> None:
    """Enter an engine with an owner of its own, whatever its name is."""
    owner = Owner(f"owner of {name}", f"key of {name}", created=DAY)
    engine = RegisteredEngine(slug(name), name, name, owner.name, owner.key, f"{name} 1", about,
                              created=DAY, seen=DAY)  # fmt: skip
    registry.owners[skeleton(owner.name)] = owner
    registry.engines[skeleton(name)] = engine
    registry.changed += [owner, engine]


class Standing:
    """An arena with its store, in which games are played move by move."""

    app: Starlette
    client: httpx2.AsyncClient
    running: ArenaGame
    address = ""

    def __init__(self, service: ArenaService, writer: WriterThread, draw: random.Random) -> None:
        self.service, self.arena, self.draw = service, service.arena, draw
        self._writer = writer

    def begin(self, pool: str, one: str, other: str) -> ArenaGame:
        """A game that runs."""
        rated = self.arena.pools[pool]
        scheduled = rated.next_game(one, other)
        if scheduled is None:
            raise RuntimeError("its opening is not drawn")
        paired = GameToBegin(rated, scheduled, is_second=False)
        game = self.arena.play.begin(paired, (f"{one} 1", f"{other} 1"), self.now())
        for name in game.players:
            self.arena.play.set_up(name, game.id, self.now())
        return game

    def turn(self, game: ArenaGame, text: str = "") -> None:
        """The next turn of a game, at random, or what the mover says."""
        text = text or str(random_turn(game.position, self.draw))
        self.arena.play.asked(game.id, self.now())
        said = TurnSent(game.id, len(game.turns), text, 0.1, SAYS)
        self.arena.play.answer(game.players[game.mover], said, self.now())

    def fill(self, names: Sequence[str], games: int, pools: Sequence[str]) -> ArenaGame:
        """Play games, and begin one, which is returned; the last engine is retired."""
        for number in range(games):
            one, other = self.draw.sample(names, 2)
            self.finish(self.begin(pools[number % len(pools)], one, other))
        running = self.begin(pools[0], names[0], names[1])
        self.turn(running)
        self.arena.write(Ruled("retire", "engine", names[-1], "", "it hangs"))
        self.arena.write(Invited("secret word", 3))
        return running

    def finish(self, game: ArenaGame) -> str:
        """Play a game to its end; its id."""
        while game.id in self.arena.play.games:
            self.turn(game)
        return game.id

    def now(self) -> float:
        """Return the time of the arena's clock."""
        return self.service.clock.now()

    def join(self, name: str, *, takes_challenges: bool = False) -> None:
        """Let an engine be online and free."""
        session = self.arena.sessions.open("192.0.2.1", "arena.test", self.now())
        self.arena.sessions.joined(session, name, is_new=False)
        session.takes_challenges = takes_challenges
        session.ready(self.now())

    async def in_writer(self, work: Callable[[], T]) -> T:
        """Return what the thread that owns the files does."""
        return await self._writer.run(work)

    async def write(self) -> None:
        """Put all that happened on the disk, and tell those who watch."""
        batch, now = self.arena.take(), self.now()
        store = self.service.store
        await self._writer.run(lambda: store.write(batch, now))
        await self._writer.run(lambda: store.file_games(batch))
        self.arena.sent(batch, now)
        for watcher in self.service.watchers:
            watcher(batch)


@asynccontextmanager
async def standing(
    folder: Path,
    names: Sequence[str] = ("ann", "bob", "cat"),
    games: int = 6,
    pools: Sequence[str] = POOLS,
    about: str = "",
    time: str = TIME,
) -> AsyncIterator[Standing]:
    """An arena whose first two engines have a game that runs, and a client for its pages.

    In a folder in which games run, it goes on with these.
    """
    writer = WriterThread()
    facts = [facts_of(name, time) for name in pools]
    store = await writer.run(lambda: ArenaStore(folder, "Test", facts))
    try:
        registry = Registry()
        for name in names:
            register(registry, name, about)
        settings = ArenaSettings("Test", "http://arena.test")
        arena = Arena(settings, [RatedPool(each) for each in facts], registry)
        stand = Standing(ArenaService(arena, store, writer), writer, random.Random(3))
        unfinished, unheard = await writer.run(lambda: (store.file.running(), store.file.unheard()))
        arena.restore(unfinished, unheard, stand.now())
        running = unfinished[0] if unfinished else stand.fill(names, games, pools)
        await stand.write()
        app = arena_application(site_pages(stand.service))
        client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://arena.test"
        )
        with stand.service.closing:
            async with client:
                stand.app, stand.client, stand.running = app, client, running
                yield stand
    finally:
        await writer.run(lambda: store.__exit__(None, None, None))
        writer.stop()
