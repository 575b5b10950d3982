"""The chain has an entry for every row that is evidence, and shows what was changed."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from oddly.tournaments.ledger.schema import CHAIN, ORIGIN, VERSION, append, checksum, entries
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.ledger.test_store import DRAWN, FACTS, VOID, WON


def chain_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(entries(connection))


def test_no_two_rows_have_one_checksum():
    rows = [
        (),
        ("",),
        ("", ""),
        ("a", "b"),
        ("ab",),
        ("a:b",),
        ("1",),
        (1,),
        (1.0,),
        (None,),
        ("N",),
    ]
    assert len({checksum(row) for row in rows}) == len(rows)


def test_every_entry_follows_the_one_before():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(CHAIN)
        for number in range(3):
            append(connection, "game", str(number), (number,))
        first, second, third = entries(connection)
    assert first.follows(ORIGIN)
    assert second.follows(first.link)
    assert third.follows(second.link)
    assert not third.follows(first.link)
    assert not second._replace(id="7").follows(first.link)
    assert not second._replace(checksum=first.checksum).follows(first.link)


def test_games_events_and_happenings_are_in_the_chain(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        for record in (VOID, WON, DRAWN):
            ledger.add("1", record)
    with Ledger(path) as ledger:
        # Nothing is new but that the run went on.
        ledger.begin(FACTS)
    kinds = [(entry.kind, entry.id) for entry in chain_of(path)]
    assert kinds == [
        ("event", ""),
        ("happening", "1"),
        ("game", "1"),
        ("game", "1"),
        ("happening", "2"),
    ]


def as_version_1(path):
    """Make a ledger what the oddly before wrote."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("drop table chain")
        connection.execute("alter table summaries drop column digest")
        connection.execute("pragma user_version = 1")


def test_an_older_ledger_is_read_as_it_is_and_given_a_chain_by_a_run(tmp_path):
    path = tmp_path / "a.sqlite"
    other = replace(WON, turns=WON.turns[:1], outcome=replace(WON.outcome, turns=1))
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        for identity, record in (("1", WON), ("2", WON), ("3", other)):
            ledger.add(identity, record)
        expected = list(ledger.each_played())
    one, two, three = (game.digest for game in expected)
    assert one == two != three
    chain = chain_of(path)
    as_version_1(path)
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        assert list(ledger.each_played()) == expected
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        assert list(ledger.each_played()) == expected
    assert {entry[1:4] for entry in chain_of(path)} == {entry[1:4] for entry in chain}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma user_version").fetchone() == (VERSION,)
