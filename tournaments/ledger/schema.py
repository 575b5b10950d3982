"""The tables of a ledger, the chain that vouches for their rows, and upgrades of older ones.

An entry has the SHA-256 of one row, such as a game, and a link, which is the SHA-256 of the link
before, of what the entry names and of its checksum. A row that has changed contradicts its
checksum; an entry that was changed, removed or moved contradicts its link. With a note of the last
link, anyone can check later that nothing is missing.

Entries are only ever appended. A void game that is played again has two; the last one holds.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, NamedTuple

from oddly.safe_files.sqlite_file import UnusableFileError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Kind = Literal["event", "game", "happening", "ruling"]


CHAIN = """
create table if not exists chain (
    number integer primary key,     -- 1, 2, 3, ... without a gap
    kind text not null,             -- which table the row is in: event, game, happening, ruling
    id text not null,               -- which row it is
    checksum blob not null,         -- SHA-256 of its values, see `checksum`
    link blob not null              -- SHA-256 of the link before and of this entry
);
"""

ORIGIN = bytes(32)
"""The link before the first entry."""

INSERT_ENTRY = "insert into chain values (?,?,?,?,?)"
LAST_ENTRY = "select number, link from chain order by number desc limit 1"
ENTRIES = "select number, kind, id, checksum, link from chain order by number"


class Entry(NamedTuple):
    """An entry of the chain."""

    number: int
    kind: str
    id: str
    checksum: bytes
    link: bytes

    def follows(self, link: bytes) -> bool:
        """Return whether the entry is as it was appended after the entry with this link."""
        return self.link == _link(link, self.kind, self.id, self.checksum)


def checksum(values: Sequence[object]) -> bytes:
    """Return the SHA-256 of a row, each value with its kind and length, so that none runs over."""
    digest = hashlib.sha256()
    for value in values:
        text = str(value).encode("utf-8", "surrogatepass")
        digest.update(b"%c%d:" % (ord(type(value).__name__[0]), len(text)))
        digest.update(text)
    return digest.digest()


def append(
    connection: sqlite3.Connection, kind: Kind, identity: str, values: Sequence[object]
) -> None:
    """Append the entry of a row, in the transaction that writes the row. Raises sqlite3.Error."""
    number, link = last_link(connection)
    own = checksum(values)
    entry = (number + 1, kind, identity, own, _link(link, kind, identity, own))
    connection.execute(INSERT_ENTRY, entry)


def last_link(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number of entries and the last link, which is ORIGIN for an empty chain."""
    number, link = connection.execute(LAST_ENTRY).fetchone() or (0, ORIGIN)
    return number, link


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Yield the entries in their order."""
    for row in connection.execute(ENTRIES):
        yield Entry(*row)


def _link(before: bytes, kind: str, identity: str, own: bytes) -> bytes:
    return hashlib.sha256(before + checksum((kind, identity)) + own).digest()


APPLICATION = 0x6F64646C
"""`oddl`, in the place where SQLite files name their application."""

VERSION = 2
"""Version 2 has a chain. One of version 1 is given it when a run goes on with it;
until then it is read as it is."""

TABLES = """
create table event (
    facts text not null             -- a JSON object, see event_facts.py
);
create table games (
    id text primary key,            -- a hash of what the game is, see schedule.py
    first text not null,
    second text not null,
    winner text,                    -- first, second or draw; null for a void game
    termination text not null,
    finished text not null,         -- UTC, ISO 8601
    host text not null,
    record text not null            -- a JSON object, see referee/justice/record.py
);
create table happenings (
    moment text not null,           -- UTC, ISO 8601
    what text not null
);
"""

SCHEDULED = """
create table if not exists scheduled (
    id text primary key,            -- of a game that began, also if it did not end
    facts text not null             -- a JSON object, see schedule.py
);
"""
"""A table that the first ledgers lack."""

SUMMARIES = """
summaries (
    number integer primary key,     -- in the order in which games ended
    id text not null unique,        -- as in games
    game text not null,             -- name, size and settings, a JSON array
    round integer not null,         -- 0 if it is not known
    place integer not null,         -- the number in the schedule; 0 if it is not known
    opening text not null,          -- the turns played for both engines, with spaces between
    seed integer not null,
    first text not null,
    second text not null,
    winner text,                    -- the same; null for a void or an annulled game
    termination text not null,
    finished text not null,         -- UTC, ISO 8601
    first_program text not null,    -- the name and version that it gave
    second_program text not null,
    turns integer not null,
    digest integer not null,        -- equal for games with the same turns, see schedule.py
    lag real not null,              -- seconds by which the referee was late at worst
    first_turns integer not null,   -- its own ones, without those of the opening
    first_seconds real not null,
    first_slowest real not null,
    second_turns integer not null,
    second_seconds real not null,
    second_slowest real not null
)
"""
"""A row for each of `games`, see summaries.py. In the first ledgers it is missing or narrower."""

DEATHS = """
create table if not exists deaths (
    id text not null,               -- of the game before which it was, as in games
    engine text not null,
    how text not null
);
"""
"""Engines that died between two games. Older ledgers lack the table."""

ENGINES = """
create table if not exists engines (
    name text not null,
    version text not null,          -- the name and version that the program gave
    command text not null,          -- a JSON array
    options text not null,          -- a JSON object
    hash text not null,             -- SHA-256 of its files, see engines.py
    files text not null,            -- a JSON object: the SHA-256 of each
    first_seen text not null,       -- when games of it ended, UTC, ISO 8601
    last_seen text not null,
    primary key (name, version, command, options, hash)
);
"""
"""The engines, see engines.py. The first ledgers lack this table too."""


RULINGS = """
create table if not exists rulings (
    number integer primary key,     -- 1, 2, 3, ... in their order
    moment text not null,           -- UTC, ISO 8601
    kind text not null,             -- annul, pardon, retire or restore
    subject text not null,          -- game or engine
    name text not null,             -- the id of the game, or the name of the engine
    reason text not null
);
"""

RULINGS_BY_ID = "select cast(number as text), moment, kind, subject, name, reason from rulings"

OTHERS = (SCHEDULED, f"create table if not exists {SUMMARIES}", ENGINES, DEATHS, RULINGS, CHAIN)
"""The statements that make all other tables. What a version adds comes last."""


LedgerError = UnusableFileError
"""A ledger that cannot be used. One sentence that begins with its path."""


def damaged(path: Path, what: str) -> LedgerError:
    """Return the error of a damaged ledger, which says how to save it."""
    return LedgerError(
        f"{path} is damaged: {what} ('oddly verify' names all that is wrong, and 'oddly salvage' "
        "saves the games that are sound)"
    )


def complete_tables(connection: sqlite3.Connection) -> None:
    """Make the tables that the ledger lacks, whatever its version."""
    (version,) = connection.execute("pragma user_version").fetchone()
    with connection:
        connection.execute("begin immediate")
        if _has_old_summaries(connection):
            # They are made again from the records.
            connection.execute("drop table summaries")
        for statement in OTHERS:
            connection.execute(statement)
        if version < VERSION:
            chain_all_rows(connection)
            connection.execute(f"pragma user_version = {VERSION}")


def chain_all_rows(connection: sqlite3.Connection) -> None:
    """Give a ledger without a chain one that covers its rows from now on."""
    rows: tuple[tuple[Kind, str], ...] = (
        ("event", "select '', facts from event"),
        ("happening", "select cast(rowid as text), moment, what from happenings order by rowid"),
        ("game", "select id, * from games order by rowid"),
        ("ruling", f"{RULINGS_BY_ID} order by number"),
    )
    for kind, query in rows:
        for identity, *values in connection.execute(query):
            append(connection, kind, identity, values)


def _has_old_summaries(connection: sqlite3.Connection) -> bool:
    """Return whether there is a table of summaries that lacks a column."""
    columns = [name for _, name, *_ in connection.execute("pragma table_info(summaries)")]
    return bool(columns) and "digest" not in columns
