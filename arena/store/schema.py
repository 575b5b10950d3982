"""The tables of the arena's file, and the upgrade of older files.

This needs none of the packages that an arena needs.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from oddly.safe_files.own_database import DatabaseKind
from oddly.safe_files.sqlite_file import is_sqlite_file

if TYPE_CHECKING:
    from pathlib import Path

FILE = "arena.db"
"""The name of the file in its folder."""
BEGUN, ENDED, FILED = 0, 1, 2
"""The states of a game: it runs, it is over, it is in its pool's ledger."""

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
