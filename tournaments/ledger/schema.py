"""The tables of a ledger, how older versions are upgraded, and the lock of a run."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from oddly.tournaments.ledger.chain import CHAIN, append
from oddly.tournaments.ledger.rulings import RULINGS

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from oddly.tournaments.ledger.chain import Kind


APPLICATION = 0x6F64646C
"""`oddl`, in the place where SQLite files name their application."""

VERSION = 2
"""Version 2 has a chain, see chain.py. One of version 1 is given it when a run goes on with it;
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
    facts text not null             -- a JSON object, see scheduled.py
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
    digest integer not null,        -- equal for games with the same turns, see played_game.py
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
    hash text not null,             -- SHA-256 of its files, see fingerprint.py
    files text not null,            -- a JSON object: the SHA-256 of each
    first_seen text not null,       -- when games of it ended, UTC, ISO 8601
    last_seen text not null,
    primary key (name, version, command, options, hash)
);
"""
"""The engines, see engines.py. The first ledgers lack this table too."""


RULINGS_BY_ID = "select cast(number as text), moment, kind, subject, name, reason from rulings"

OTHERS = (SCHEDULED, f"create table if not exists {SUMMARIES}", ENGINES, DEATHS, RULINGS, CHAIN)
"""The statements that make all other tables. What a version adds comes last."""


class LedgerError(Exception):
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


def lock(path: Path) -> IO[str]:
    """Hold the ledger at `path` for this run until the returned file is closed.

    The file has the number of this process, for people who want to send it a signal. It lies beside
    the database, since closing a second handle on that would end SQLite's own locks. Raises
    LedgerError if another run holds the ledger.
    """
    beside = path.with_name(f"{path.name}-lock")
    try:
        # Not emptied before it is locked: it has the number of the process that holds it.
        file = beside.open("a")
    except OSError as error:
        raise LedgerError(f"cannot write {beside}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise LedgerError(f"{path}: another run is writing to this ledger now") from None
    except OSError:
        # Some network file systems have no locks; there the ledger is used without one.
        pass
    # On a full disk the number is missing; the lock holds nevertheless.
    with suppress(OSError):
        file.truncate(0)
        print(os.getpid(), file=file, flush=True)
    return file


def unlock(file: IO[str]) -> None:
    """Release the ledger."""
    with suppress(OSError):
        file.truncate(0)
    file.close()
