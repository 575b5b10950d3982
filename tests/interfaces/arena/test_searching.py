"""Searches over several pools, against the games themselves."""

import random
import threading
from contextlib import ExitStack, closing
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
import trio
from starlette.requests import Request
from trio.testing import wait_all_tasks_blocked

from oddly.arena.registry import RegisteredEngine, Registry
from oddly.interfaces.arena.pages import reading
from oddly.interfaces.arena.pages.game_pages import search
from oddly.interfaces.arena.pages.reading import ArchivedGames, Archives, Disk
from oddly.tournaments import Ledger, LedgerError
from oddly.tournaments.ledger.archive import GameSearch
from tests.arena.store.test_store import POOL, store
from tests.interfaces.arena.made_up import random_games, random_record
from tests.interfaces.arena.test_profiles import EVENT, NAMES
from tests.patience import PATIENCE
from tests.tournaments.ledger.test_archive import between_reads

POOLS = ("one", "two", "three")


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Archives of three pools, and all games as (pool, id, record) in the order of their ends."""
    games, moments = [], iter(range(1000))

    def tick():
        return f"2026-01-01T00:{next(moments):04}"

    monkeypatch.setattr("oddly.tournaments.ledger.store.utc_now", tick)
    draw = random.Random(2)
    with ExitStack() as stack:
        ledgers = {pool: stack.enter_context(Ledger(tmp_path / pool)) for pool in POOLS}
        for ledger in ledgers.values():
            ledger.begin(EVENT)
        for number, record in enumerate(random_games(NAMES, 60, draw).values()):
            pool = draw.choice(POOLS)
            ledgers[pool].add(f"g{number}", record)
            games.append((pool, f"g{number}", record))
        archives = Archives({pool: tmp_path / pool for pool in POOLS})
        with closing(archives):
            yield archives, games


def by_hand(games, pools, wanted):
    return [
        (pool, name) for pool, name, record in reversed(games) if pool in pools and wanted(record)
    ]


SEARCHES = [
    (GameSearch(), lambda record: True),
    (GameSearch(("bob",)), lambda record: "bob" in record.players),
    (GameSearch(("bob",), ("dan",)), lambda record: {"bob", "dan"} == {*record.players}),
    (GameSearch(result="fault"), lambda record: record.outcome.is_forfeit),
    (GameSearch(shortest=4, longest=5), lambda record: 4 <= len(record.turns) <= 5),
    (
        GameSearch(("bob",), result="won"),
        lambda record: (
            "bob" in record.players and record.outcome.winner == record.players.index("bob")
        ),
    ),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("search", "wanted"), SEARCHES)
@pytest.mark.parametrize("pools", [POOLS, POOLS[:1], POOLS[1:]])
def test_all_pages_together_are_what_was_played(played, search, wanted, pools):
    archives, games = played
    expected = by_hand(games, pools, wanted)
    found = []
    for first in range(0, 60, 7):
        page, total, reached = archives.search(pools, search, first, 7)
        assert (total, reached) == (len(expected), len(expected))
        found += [(pool, game.id) for pool, game in page]
    assert found == expected


def test_several_pools_are_merged_as_far_as_the_bound(played, monkeypatch):
    monkeypatch.setattr(reading, "MAX_MERGED", 20)
    archives, games = played
    page, total, reached = archives.search(POOLS, GameSearch(), 15, 10)
    assert [game.id for _, game in page] == [name for _, name, _ in games[::-1][15:20]]
    assert (total, reached) == (60, 20)
    assert archives.search(POOLS, GameSearch(), 20, 10)[0] == []
    one = [name for pool, name, _ in reversed(games) if pool == "one"]
    page, _, reached = archives.search(("one",), GameSearch(), 18, 10)
    assert [game.id for _, game in page] == one[18:28]
    assert reached == len(one)


def test_a_pool_is_searched_when_another_thread_has_read_it(played, monkeypatch):
    archives, _ = played
    monkeypatch.setattr(reading, "FIRST_READ_WITHIN", 0)
    refused = []

    def look():
        with pytest.raises(LedgerError) as error:
            archives.search(("one",), GameSearch(), 0, 9)
        refused.append(str(error.value))

    between_reads(monkeypatch, look)
    archives.of_pool["one"].refresh()
    assert set(refused) == {reading.NOT_READ_YET}
    assert archives.search(("one",), GameSearch(), 0, 9)[1]


# (the new names in their order, and what is left: each engine with its former names in the ledger)
RENAMED = [
    ([("dan", "bob"), ("bob", "ann 1")], {"ann 1": ("bob", "dan"), "cat <b>": ()}),
    # Older arenas gave an old name to a new engine: games under it are the new one's.
    ([("bob", "dan")], {"dan": (), "bob": (), "ann 1": ()}),
    ([("bob", "dan"), ("ann 1", "bob"), ("dan", "ann 1")], {"ann 1": ("dan",), "bob": ()}),
    ([("bob", "ann 1"), ("bob", "dan")], {"dan": ("bob",), "ann 1": ()}),
    (
        [("dan", "bob"), ("bob", "ann 1"), ("cat <b>", "bob"), ("bob", "cat <b>")],
        {"ann 1": ("dan",), "cat <b>": ("bob",)},
    ),
]


def filled(folder, renamed, engines, records):
    """Make the files of an arena whose keeper has renamed engines."""
    row = "insert into engines values (?,?,'','','','','','[]','plays','','')"
    ruling = "insert into rulings values (null,'','rename','engine',?,'x',?)"
    with store(folder) as arena:
        arena.file.connection.executemany(row, ((name, name) for name in engines))
        arena.file.connection.executemany(ruling, renamed)
    with Ledger(folder / f"{POOL.name}.sqlite") as ledger:
        ledger.begin(EVENT)
        for identity, record in records.items():
            ledger.add(identity, record)


@pytest.mark.parametrize(("renamed", "engines"), RENAMED)
def test_games_are_those_of_the_engine_that_has_or_had_the_name(tmp_path, renamed, engines):
    records = random_games(NAMES, 60, random.Random(4))
    names = {name: {name, *former} for name, former in engines.items()}
    filled(tmp_path, renamed, engines, records)
    with closing(Disk(tmp_path, [POOL.name])) as disk:
        for name, its in names.items():
            mine = {key: each for key, each in records.items() if its & {*each.players}}
            found = disk.search([POOL.name], GameSearch((name,)), 0, 100)
            assert {game.id for game in found.games} == {*mine}
            profile, _ = disk.profile(POOL.name, name, 100, 100)
            met = {each.opponent: each.score.games for each in profile.met}
            for other in {*names} - {name}:
                against = sum(bool(names[other] & {*each.players}) for each in mine.values())
                assert met.get(other, 0) == against
                search = GameSearch((name,), (other,))
                assert disk.search([POOL.name], search, 0, 100).total == against


@pytest.mark.parametrize("asked", ["ann 1", "Ann 1", "bob", "dan"])
async def test_an_address_may_have_a_former_name(tmp_path, asked):
    draw = random.Random(4)
    renamed = [("dan", "bob"), ("bob", "ann 1")]
    pairs = [(name, "cat <b>") for name in ("ann 1", "bob", "dan")] + [("eve", "cat <b>")]
    records = {f"g{place}": random_record(pair, draw) for place, pair in enumerate(pairs)}
    filled(tmp_path, renamed, ["ann 1"], records)
    registry = Registry()
    registry.load([], [RegisteredEngine("ann-1", "ann 1", "f", "o", "")])
    registry.was_renamed(renamed)
    query = urlencode({"engine": asked}).encode()
    with closing(Disk(tmp_path, [POOL.name])) as disk:
        arena = SimpleNamespace(registry=registry, pools={POOL.name: None})
        site = SimpleNamespace(arena=arena, disk=disk, search_limiter=trio.CapacityLimiter(1))
        asked, found = await search(site, Request({"type": "http", "query_string": query}), 100)
    assert {game.id for game in found.games} == {"g0", "g1", "g2"}
    assert asked.fields["engine"] == "ann 1"


async def test_searches_that_wait_hold_up_no_other_page():
    """The bug: the names of engines and games were read outside the threads."""
    waiting, is_over = threading.Semaphore(0), threading.Event()

    def wait(*_):
        waiting.release()
        assert is_over.wait(PATIENCE)
        return ArchivedGames((), 0, 0, (), ())

    site = SimpleNamespace(
        arena=SimpleNamespace(registry=Registry(), pools={POOL.name: None}),
        disk=SimpleNamespace(search=wait),
        search_limiter=trio.CapacityLimiter(2),
    )
    request = Request({"type": "http", "query_string": b""})
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(search, site, request, 100)
        for _ in range(2):
            await trio.to_thread.run_sync(waiting.acquire)
        await wait_all_tasks_blocked()
        assert not waiting.acquire(blocking=False)
        assert trio.to_thread.current_default_thread_limiter().borrowed_tokens == 0
        is_over.set()
