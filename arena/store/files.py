"""The files of an arena: their tables, the upgrade of older files, and backups.

This needs none of the packages that an arena needs.

A backup is a copy of all files as they are at one moment, made while the arena runs. To restore
one, stop the arena, replace its folder with the backup, and start the arena: it goes on with what
it finds, as after a crash.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from oddly.safe_files import new_folder
from oddly.safe_files.own_database import DatabaseKind
from oddly.safe_files.sqlite_file import (
    UnusableFileError,
    is_sqlite_file,
    is_unopened,
    log_beside,
    reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


FILE = "arena.db"
"""The name of the file in its folder."""
BEGUN, ENDED, FILED = 0, 1, 2
"""The states of a game: it runs, it is over, it is in its pool's ledger."""
PATIENCE = 10.0
"""Seconds to wait while the arena writes a batch."""

TABLES = """
create table clock (
    heartbeat real not null,        -- seconds of the arena's clock that have surely passed
    seed integer not null
);
create table owners (
    name text primary key,
    key text not null,              -- the Ed25519 public key, base64url
    is_house integer not null,
    banned text not null,           -- why, if so
    created text not null           -- UTC, ISO 8601
);
create table engines (
    slug text primary key,
    name text not null unique,
    family text not null,
    owner text not null,            -- as in owners
    key text not null,
    program text not null,          -- the name and version that it gives itself
    about text not null,
    pools text not null,            -- a JSON array; empty for all
    state text not null,            -- plays, rests or retired
    created text not null,          -- UTC, ISO 8601
    seen text not null              -- when it joined last, the same
);
create table invitations (
    code text primary key,
    engines integer not null,       -- how many it may still register
    made text not null              -- UTC, ISO 8601
);
create table games (
    id text primary key,
    pool text not null,
    first text not null,            -- names, as in engines
    second text not null,
    round integer not null,
    state integer not null,         -- 0 runs, 1 over, 2 in its ledger
    plan text not null,             -- a JSON object, see rows.py
    began real not null,            -- seconds of the arena's clock
    started text not null,          -- UTC, ISO 8601
    set_up integer not null,        -- bits: 1 for the first player, 2 for the second
    asked_number integer not null,  -- the turns played when somebody was asked last; or -1
    asked real not null,
    winner text,                    -- first, second or draw; null for a void or an annulled game
    finished text,                  -- UTC, ISO 8601
    ending text,                    -- a JSON object, see rows.py
    record text,                    -- a JSON object, until the game is in its ledger
    heard integer not null,         -- bits: who knows how it ended
    held real                       -- since when the mover's clock stands still; null if it runs
);
create index games_of_pools on games (pool, state);
create index games_running on games (state) where state < 2;
create index games_unheard on games (heard) where heard < 3;
create table turns (                -- of games that are not in a ledger yet
    game text not null,
    number integer not null,        -- the turns played before it
    turn text not null,
    asked real not null,            -- seconds of the arena's clock
    looked real not null,
    taken real not null,
    credit real not null,
    evaluation text not null,       -- a JSON object, or empty
    primary key (game, number)
) without rowid;
create table rulings (
    number integer primary key,
    moment text not null,           -- UTC, ISO 8601
    kind text not null,             -- see arena/rulings.py
    subject text not null,          -- game, engine or owner
    name text not null,
    reason text not null,
    value text not null             -- the new name or key, or empty
);
create table orders (               -- of the keeper, for an arena that runs
    number integer primary key autoincrement,
    kind text not null,
    name text not null,
    value text not null,
    reason text not null,
    answer text,                    -- null until it is carried out or refused
    is_refused integer not null
);
"""

RATINGS = """
create table ratings (              -- the last rating of each engine in each hour with a game
    pool text not null,
    engine text not null,           -- the name, as in engines
    hour text not null,             -- UTC, ISO 8601, as far as the hour
    elo real not null,
    error real not null,            -- half the 95 % interval
    games integer not null,         -- all that count until then
    primary key (pool, engine, hour)
) without rowid;
create table leaders (              -- who took the lead of a pool
    number integer primary key,
    moment text not null,           -- UTC, ISO 8601
    pool text not null,
    engine text not null,
    elo real not null
);
create index games_of_first on games (first);
create index games_of_second on games (second);
"""
"""The additions of version 2."""

ALLOWANCES = """
create table allowances (           -- how many new engines an address may still register
    address text primary key,       -- a keyed hash; forgotten after a day
    left real not null,
    since real not null             -- seconds of the arena's clock
) without rowid;
"""
"""The additions of version 4."""


def _add_ratings(connection: sqlite3.Connection) -> None:
    for statement in RATINGS.split(";\n"):
        connection.execute(statement)


def _add_held(connection: sqlite3.Connection) -> None:
    connection.execute("alter table games add column held real")


def _add_allowances(connection: sqlite3.Connection) -> None:
    connection.execute(ALLOWANCES)


KIND = DatabaseKind(
    "file of an arena",
    0x6F646461,  # odda
    4,
    TABLES + RATINGS + ALLOWANCES,
    {1: _add_ratings, 2: _add_held, 3: _add_allowances},
    has_indexes=True,
)


def is_pool_of_arena(ledger: Path) -> bool:
    """Return whether a ledger has the games of a pool of the arena in its folder."""
    path = ledger.resolve()
    file = path.with_name(FILE)
    if path.suffix != ".sqlite" or not is_sqlite_file(file):
        return False
    query = "select 1 from games where pool = ? limit 1"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            (application,) = connection.execute("pragma application_id").fetchone()
            is_arena = application == KIND.application
            return is_arena and connection.execute(query, (path.stem,)).fetchone() is not None
    except sqlite3.Error:
        return False


def back_up(folder: Path, to: Path, others: Iterable[str] = ()) -> list[Path]:
    """Copy an arena's file, its ledgers and `others` into a new folder; return the copies.

    The copy is a complete folder of an arena, and appears as a whole or not at all. Raises
    UnusableFileError.
    """
    if not is_sqlite_file(folder / FILE):
        raise UnusableFileError(f"{folder} has no arena: there is no file {FILE} in it")
    if os.path.lexists(to):
        raise UnusableFileError(f"{to} is there already: a backup makes a new folder")
    try:
        with new_folder(to) as part:
            part.chmod(0o700)
            names = _copy_databases(folder, part)
            for name in others:
                if (folder / name).is_file():
                    shutil.copy2(folder / name, part / name)
                    names.append(name)
            for name in names:
                _flush(part / name)
    except OSError as error:
        raise UnusableFileError(f"cannot write {to}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot copy {folder} to {to}: {reason(error)}") from None
    return [to / name for name in names]


def _copy_databases(folder: Path, to: Path) -> list[str]:
    """Copy the arena's file and its ledgers as they are at one moment; return their names.

    The arena writes a game into its file before it is in a ledger, and forgets it in the file
    afterwards. So its file is locked for the moment when reading of all files begins; their logs
    keep what is read while the arena goes on writing. Raises sqlite3.Error, and UnusableFileError.
    """
    names = [FILE, *sorted(path.name for path in folder.glob("*.sqlite") if is_sqlite_file(path))]
    with ExitStack() as stack:

        def reader(name: str) -> sqlite3.Connection:
            return stack.enter_context(closing(connect_to_read(folder / name)))

        is_still = _is_still(folder / FILE)
        before = [(folder / name).stat().st_mtime_ns for name in names]
        holder, readers = reader(FILE), {name: reader(name) for name in names}
        holder.execute("begin" if is_still else "begin immediate")
        for connection in readers.values():
            connection.execute("begin")
            connection.execute("select count(*) from sqlite_master").fetchone()
        holder.execute("rollback")
        for name, connection in readers.items():
            (to / name).touch(mode=0o600)
            with closing(sqlite3.connect(to / name)) as copy:
                connection.backup(copy)
                if name == FILE:
                    _forget_addresses(copy)
    after = [(folder / name).stat().st_mtime_ns for name in names]
    if is_still and not (before == after and _is_still(folder / FILE)):
        raise UnusableFileError(f"{folder} was written to while it was copied: try again")
    return names


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect to a file of an arena, which may be running, only to read it.

    Raises sqlite3.Error, and UnusableFileError.
    """
    # SQLite locks a file that may change, and needs a folder that can be written for that.
    mode = "immutable=1" if _is_still(path) else "mode=rw"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, timeout=PATIENCE, uri=True, isolation_level=None)
    try:
        connection.execute("pragma schema_version")
    except sqlite3.Error as error:
        connection.close()
        if is_unopened(error) and (log := log_beside(path)):
            raise UnusableFileError(
                f"{path} cannot be read where nothing can be written, because {log} beside it has "
                "a part of it: copy both into another folder"
            ) from None
        raise
    return connection


def _is_still(path: Path) -> bool:
    """Return whether nobody writes a file: its folder cannot be written, and it has no log."""
    return not (os.access(path.resolve().parent, os.W_OK) or log_beside(path))


def _forget_addresses(copy: sqlite3.Connection) -> None:
    """Delete what an arena forgets after a day or a game: a backup may be kept for years."""
    copy.execute("pragma secure_delete = on")
    if copy.execute("select 1 from sqlite_master where name = 'allowances'").fetchone():
        copy.execute("delete from allowances")
    without = "update games set plan = json_remove(plan, '$.address') where state = ?"
    copy.execute(without, (BEGUN,))
    copy.commit()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
