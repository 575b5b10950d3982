"""Opening ledgers: our SQLite files, of a version we know, used by one run at a time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing, suppress
from typing import IO, TYPE_CHECKING

from tournaments.ledger.chain import CHAIN, append
from tournaments.ledger.rulings import RULINGS

if TYPE_CHECKING:
    from pathlib import Path

    from tournaments.ledger.chain import Kind

APPLICATION = 0x6F64646C
"""`oddl`, in the place where SQLite files name their application."""

VERSION = 2
"""Version 2 has a chain, see chain.py. One of version 1 is given it when a run goes on with it;
until then it is read as it is."""

MAX_CHECKED_BYTES = 1 << 28
"""The largest ledger, in bytes, that is read through when it is opened, to see whether it is whole.

A larger one would take seconds, or minutes on a slow disk. Damage in it shows when it is read.
"""

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
    record text not null            -- a JSON object, see referee/record.py
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


OTHERS = (SCHEDULED, f"create table if not exists {SUMMARIES}", ENGINES, DEATHS, RULINGS, CHAIN)
"""The statements that make all other tables. What a version adds comes last."""


class LedgerError(Exception):
    """A ledger that cannot be used. One sentence that begins with its path."""


def open_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection to the ledger at `path`, which is created if there is none.

    A game is on the disk when its transaction ends: WAL with `synchronous` FULL keeps it through a
    power cut. Raises LedgerError if the file cannot be used.
    """
    is_new = not path.exists() or path.stat().st_size == 0
    connection = _connect(path, "rwc")
    try:
        if is_new:
            with connection:
                connection.executescript(
                    f"begin; {TABLES} pragma application_id = {APPLICATION}; "
                    f"pragma user_version = {VERSION}; commit;"
                )
        else:
            _check(connection, path)
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        (version,) = connection.execute("pragma user_version").fetchone()
        with connection:
            connection.execute("begin immediate")
            if version < VERSION and _has_old_summaries(connection):
                # They are made again from the records.
                connection.execute("drop table summaries")
            for statement in OTHERS:
                connection.execute(statement)
            if version < VERSION:
                migrate(connection)
                connection.execute(f"pragma user_version = {VERSION}")
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {_reason(error)}") from None
    except LedgerError:
        connection.close()
        raise
    return connection


def migrate(connection: sqlite3.Connection) -> None:
    """Give a ledger of version 1 its chain, which vouches for its rows from now on."""
    rows: tuple[tuple[Kind, str], ...] = (
        ("event", "select '', facts from event"),
        ("happening", "select cast(rowid as text), moment, what from happenings order by rowid"),
        ("game", "select id, * from games order by rowid"),
    )
    for kind, query in rows:
        for identity, *values in connection.execute(query):
            append(connection, kind, identity, values)


def _has_old_summaries(connection: sqlite3.Connection) -> bool:
    """Return whether there is a table of summaries that lacks a column."""
    columns = [name for _, name, *_ in connection.execute("pragma table_info(summaries)")]
    return bool(columns) and "digest" not in columns


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that reads the ledger at `path`, while another process may write to it.

    Raises LedgerError if the file cannot be used.
    """
    if not path.is_file():
        raise LedgerError(f"there is no ledger {path}")
    connection = _connect(path, "ro")
    try:
        _check(connection, path)
    except LedgerError:
        connection.close()
        raise
    return connection


def is_ledger(path: Path) -> bool:
    """Return whether the file looks like an SQLite database."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


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


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=10)
    except sqlite3.Error as error:
        raise LedgerError(f"cannot open {path}: {_reason(error)}") from None


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError unless it is a whole ledger of this version."""
    try:
        (application,) = connection.execute("pragma application_id").fetchone()
        (version,) = connection.execute("pragma user_version").fetchone()
        if application != APPLICATION:
            raise LedgerError(f"{path} is an SQLite file, but not a ledger of oddly")
        if version > VERSION:
            raise LedgerError(
                f"{path} is a ledger of version {version}; this oddly knows up to {VERSION}: "
                "install a newer one"
            )
        if path.stat().st_size > MAX_CHECKED_BYTES:
            _check_size(connection, path)
            return
        with closing(connection.execute("pragma quick_check(1)")) as cursor:
            (verdict,) = cursor.fetchone()
        if verdict != "ok":
            raise LedgerError(f"{path} is damaged: {verdict.splitlines()[0]}")
    except sqlite3.Error as error:
        raise LedgerError(f"{path} is no ledger: {_reason(error)}") from None


def _check_size(connection: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError if the file is cut off, unless a log beside it has the rest."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return
    (pages,), (size,) = (
        connection.execute(query).fetchone() for query in ("pragma page_count", "pragma page_size")
    )
    if path.stat().st_size < pages * size:
        raise LedgerError(
            f"{path} is damaged: it has {path.stat().st_size} bytes of {pages * size}"
        )


def _reason(error: sqlite3.Error) -> str:
    return str(error) or type(error).__name__
