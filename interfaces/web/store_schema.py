"""The tables of the file of games on the page, and how an older file gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.interfaces.web.seats import hashed
from oddly.safe_files.own_database import DatabaseKind

if TYPE_CHECKING:
    import sqlite3

TABLES = """
create table games (
    id text primary key,
    request text not null,          -- a JSON object, see GameRequest
    state text not null,            -- a JSON object, see StoredState
    summary text not null,          -- a JSON object: what a list of games shows
    over integer not null,          -- 1 once the game has ended
    turns integer not null,
    changed text not null           -- UTC, ISO 8601
);
"""
SEATS = """
create table seats (
    secret text not null,           -- SHA-256 of what a browser has in a cookie, or of a key
    game text not null,             -- as in games
    seats text not null,            -- a JSON array
    owner integer not null,
    key integer not null,           -- 1 if the secret opens the game without a cookie
    unique (secret, game),
    unique (game, secret)
);
create table invitations (
    secret text primary key,        -- SHA-256 of what is in the link
    game text not null,
    seat integer not null,
    made text not null,             -- UTC, ISO 8601
    taken text not null,            -- UTC, ISO 8601, or empty before
    unique (game, secret)
);
"""


def _hash_links(connection: sqlite3.Connection) -> None:
    """Turn the links of version 1, which gave a seat to everybody who had them, into keys.

    They go on to open their games; only their hashes are kept. Raises sqlite3.Error.
    """
    rows = connection.execute("select key, game, seats, owner from links").fetchall()
    keys = [(hashed(str(key)), str(game), str(seats), int(bool(owner)), 1)
            for key, game, seats, owner in rows]  # fmt: skip
    connection.execute("pragma secure_delete = on")
    for statement in SEATS.split(";"):
        connection.execute(statement)
    connection.executemany("insert or ignore into seats values (?,?,?,?,?)", keys)
    connection.execute("drop table links")


KIND = DatabaseKind(
    "file of games",
    0x6F646477,  # oddw
    2,
    TABLES + SEATS,
    {1: _hash_links},
)
