"""The client and the arena together, over connections that are cut at any byte."""

import itertools
import math
import random
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
import trio.testing

from oddly.arena.client.connection import parse_arena_url
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity
from oddly.arena.client.joining import Joining
from oddly.arena.client.machine import ClientMachine
from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration, Termination
from oddly.tournaments import Ledger, verify
from tests.arena.client.scripted_arena import CutStream, MemoryEngine
from tests.arena.served import ServedArena, pool_of, stored

POOL = pool_of()
HOST = "a.example"
BY_THE_RULES = {Termination.DOUBLE_PASS, Termination.BOARD_FULL, Termination.NO_MOVES}
UNCUT = itertools.repeat(math.inf)


class Author:
    """An engine in memory at the arena, and what its owner heard."""

    def __init__(self, name, seconds=0.2, games=None, budgets=UNCUT, dies_after=math.inf) -> None:
        self.name, self.seconds, self.games = name, seconds, games
        self.budgets = iter(budgets)
        self.dies_after = dies_after
        self.events = []
        self.problem = None
        self.joining = None

    async def join(self, served, nursery, task_status=trio.TASK_STATUS_IGNORED):
        async def open_stream():
            ours, theirs = trio.testing.memory_stream_pair()
            nursery.start_soon(served.serve, ours)
            return CutStream(theirs, next(self.budgets))

        engine = ArenaEngine(
            EngineConfiguration(self.name, (self.seconds, self.dies_after), NO_CLOCK), nursery,
            lambda why: None, MemoryEngine,
        )  # fmt: skip
        secret = random.Random(self.name).randbytes(32)
        who = Identity(self.name, self.name, f"owner of {self.name}", secret, HOST)
        machine = ClientMachine(who, await engine.start(), self.games)
        self.joining = Joining(
            machine, engine, parse_arena_url(f"ws://{HOST}"), self.events.append, open_stream,
        )  # fmt: skip
        task_status.started()
        self.problem = await self.joining.run()

    def ends(self):
        return [event.game for event in self.events if event.NAME == "end"]


@asynccontextmanager
async def arena_in(folder, pools=(POOL,)):
    with stored(folder, pools) as store:
        async with trio.open_nursery() as nursery:
            served = ServedArena(store, pools, HOST)
            nursery.start_soon(served.tick)
            yield served, nursery
            nursery.cancel_scope.cancel()


async def play(folder, *authors):
    """Let authors join until all have left."""
    async with arena_in(folder) as (served, nursery), trio.open_nursery() as joined:
        for author in authors:
            joined.start_soon(partial(author.join, served, nursery))
    return served


def recorded(folder):
    """The games of the pool's ledger, which is sound, by their ids."""
    path = folder / f"{POOL.name}.sqlite"
    assert not verify(path).problems
    with Ledger(path, read_only=True) as ledger:
        return ledger.records()


async def test_two_engines_play_rated_games(tmp_path, autojump_clock):
    authors = Author("alpha", games=4), Author("beta", games=4)
    await play(tmp_path, *authors)
    assert [author.problem for author in authors] == ["", ""]
    assert authors[0].ends() == authors[1].ends()
    assert len(recorded(tmp_path)) == 4


@pytest.mark.parametrize(
    ("cuts", "seeds"),
    [(30, itertools.count(1)), pytest.param(1000, itertools.count(100), marks=pytest.mark.soak)],
    ids=["a few", "a thousand"],
)
async def test_cuts_at_any_byte_lose_no_game(tmp_path, autojump_clock, cuts, seeds):
    while cuts > 0:
        seed = next(seeds)
        folder = tmp_path / str(seed)
        folder.mkdir()
        cuts -= await play_with_cuts(folder, seed, cuts=10)


async def play_with_cuts(folder, seed, cuts):
    """Play four games while connections are cut at most so often; return how often they were.

    Every game is recorded once, and none is lost by an engine that returns in time: each has ten
    seconds.
    """
    chance = random.Random(seed)
    cut = itertools.count()

    def budgets():
        # The client gives up an arena that it has never reached.
        yield 3000
        for _ in range(cuts):
            next(cut)
            yield chance.randrange(1, 4000)
        yield from UNCUT

    authors = [Author(name, chance.random(), 4, budgets()) for name in ("alpha", "beta")]
    await play(folder, *authors)
    assert [author.problem for author in authors] == ["", ""]
    records = recorded(folder)
    for author in authors:
        assert len(set(author.ends())) == len(author.ends()) == 4
        assert set(author.ends()) <= set(records)
    assert {r.outcome.termination for r in records.values()} <= BY_THE_RULES
    return next(cut)
