"""Searches over several pools, against the games themselves."""

import random
from contextlib import ExitStack, closing

import pytest

from oddly.interfaces.arena.pages import reading
from oddly.interfaces.arena.pages.reading import Archives
from oddly.tournaments import Ledger
from oddly.tournaments.ledger.archive import GameSearch
from tests.interfaces.arena.made_up import random_games
from tests.interfaces.arena.test_profiles import EVENT, NAMES

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
    (GameSearch("bob"), lambda record: "bob" in record.players),
    (GameSearch("bob", "dan"), lambda record: {"bob", "dan"} == {*record.players}),
    (GameSearch(result="fault"), lambda record: record.outcome.is_forfeit),
    (GameSearch(shortest=4, longest=5), lambda record: 4 <= len(record.turns) <= 5),
    (
        GameSearch("bob", result="won"),
        lambda record: (
            "bob" in record.players and record.outcome.winner == record.players.index("bob")
        ),
    ),
]


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
