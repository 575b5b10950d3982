"""The chain has an entry for every row that is evidence, and shows what was changed."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from oddly.tournaments import Ledger
from oddly.tournaments.ledger.engines import Entrant
from oddly.tournaments.ledger.schema import ORIGIN, TABLES, append, checksum, entries
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.test_store import DRAWN, FACTS, HOSTILE, VOID, WON


def chain_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(entries(connection))


def test_no_two_rows_have_one_checksum():
    values = ("a", "b"), ("ab",), ("a:b",), ("1",), (1,), (1.0,), (None,), ("N",)
    rows = [(), ("",), ("", ""), *values]
    assert len({checksum(row) for row in rows}) == len(rows)


def test_every_entry_follows_the_one_before():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        for number in range(3):
            append(connection, "game", str(number), (number,))
        first, second, third = entries(connection)
    assert first.follows(ORIGIN)
    assert second.follows(first.link)
    assert third.follows(second.link)
    assert not third.follows(first.link)
    assert not second._replace(id="7").follows(first.link)
    assert not second._replace(checksum=first.checksum).follows(first.link)


def test_every_row_that_is_evidence_has_an_entry(tmp_path):
    path = tmp_path / "a.sqlite"
    (scheduled, _) = round_robin([WON.game], list(WON.players), 1, 1)
    record = replace(WON, deaths=("exited with code 3", ""))
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.enter([Entrant("a", ("a",)), Entrant(HOSTILE, ("b",))])
        ledger.announce(scheduled)
        ledger.announce(scheduled)
        for again in (VOID, record, DRAWN):
            ledger.add(scheduled.id, again, scheduled)
    with Ledger(path) as ledger:
        # Nothing is new but that the run went on.
        ledger.begin(FACTS)
    kinds = [(entry.kind, entry.id) for entry in chain_of(path)]
    engines = [kind for kind in kinds if kind[0] == "engine"]
    # An engine that was seen in another second has another entry.
    assert set(engines) == {("engine", "1"), ("engine", "2")}
    assert [kind for kind in kinds if kind not in engines] == [
        ("event", ""),
        ("happening", "1"),
        ("plan", scheduled.id),
        ("game", scheduled.id),
        ("game", scheduled.id),
        ("death", "1"),
        ("happening", "2"),
    ]
