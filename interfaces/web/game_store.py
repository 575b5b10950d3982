"""The games on the page, in an SQLite file; its tables, and how an older file gets them.

A game is a row with the request that opened it, its state and what a list of games shows of it.
Other tables have the hashes of the secrets by which browsers hold seats, and of the secrets of
invitations. The file is locked while a server has it open.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.interfaces.web.seats import Holder, Invitation, hashed, utc_now
from oddly.safe_files.own_database import DatabaseKind, OwnDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


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

TIME = """
create table time (
    served real not null            -- seconds for which servers have had this file open, in all
);
insert into time values (0);
"""


class StoreError(Exception):
    """A change that could not be written. The message is one sentence."""


def _hash_links(connection: sqlite3.Connection) -> None:
    """Turn the links of version 1, which gave a seat to everybody who had them, into keys.

    They still open their games; only their hashes are kept. Raises sqlite3.Error.
    """
    rows = connection.execute("select key, game, seats, owner from links").fetchall()
    keys = [(hashed(str(key)), str(game), str(seats), int(bool(owner)), 1)
            for key, game, seats, owner in rows]  # fmt: skip
    connection.execute("pragma secure_delete = on")
    for statement in SEATS.split(";"):
        connection.execute(statement)
    connection.executemany("insert or ignore into seats values (?,?,?,?,?)", keys)
    connection.execute("drop table links")


def _begin_time(connection: sqlite3.Connection) -> None:
    """Begin to count the time for which the games are served. Raises sqlite3.Error."""
    for statement in TIME.split(";"):
        connection.execute(statement)


KIND = DatabaseKind(
    "file of games",
    0x6F646477,  # oddw
    3,
    TABLES + SEATS + TIME,
    {1: _hash_links, 2: _begin_time},
)


INVITE = "insert into invitations values (?,?,?,?,?)"
SPARE = (
    "select id from games where over = 1 or (turns = 0 and changed < ?) or changed < ? "
    "order by over = 0 and turns > 0, turns > 0, changed limit 1"
)
EXPIRED = "select id from games where over = 0 and changed < case turns when 0 then ? else ? end"
EXHIBITIONS = (
    "select id from games where request like '%\"exhibition\":true%' order by rowid desc limit ?"
)
DELETIONS = (
    "delete from seats where game = ?",
    "delete from invitations where game = ?",
    "delete from games where id = ?",
)
UNPLAYED, UNFINISHED = timedelta(days=7), timedelta(days=30)
"""How long an abandoned game is kept: one without a turn played here, and any other."""
YOUNG, YOUNG_UNPLAYED = timedelta(days=1), timedelta(hours=1)
"""How long it is kept even if there is no room."""


class StoredGame(NamedTuple):
    """A game as stored: JSON texts, and who holds its seats, the owner first."""

    id: str
    request: str
    state: str
    holders: tuple[Holder, ...]


def _utc() -> datetime:
    return datetime.now(UTC)


class GameStore(OwnDatabase):
    """An open file of games. Opening it raises UnusableFileError."""

    def __init__(self, path: Path, most: int, now: Callable[[], datetime] = _utc) -> None:
        super().__init__(path, KIND)
        self.path = path
        self._most = most
        self._now = now

    def add(
        self,
        game: StoredGame,
        summary: Mapping[str, Any],
        invitations: Iterable[Invitation] = (),
    ) -> None:
        """Write a new game, the holders of its seats, and its invitations. Raises StoreError."""
        # Turns that came with the request do not count as played: they cost nothing.
        over = int(bool(summary["over"]))
        row = (game.id, game.request, game.state, json.dumps(summary), over, 0, self._text())
        with self._writing() as connection:
            self._make_room(connection)
            connection.execute("insert into games values (?,?,?,?,?,?,?)", row)
            _seat(connection, game.id, game.holders)
            connection.executemany(INVITE, invitations)

    def change(self, identity: str, state: str, summary: Mapping[str, Any]) -> None:
        """Write the new state of a game: it is on the disk on return. Raises StoreError."""
        with self._writing() as connection:
            _change(connection, identity, state, summary, self._text())

    def served(self) -> float:
        """Return the seconds for which servers have had the file open. Raises StoreError."""
        found = self._rows("select served from time", ())
        seconds = found[0][0] if found else 0
        return float(seconds) if isinstance(seconds, (int, float)) else 0.0

    def keep_served(self, seconds: float) -> None:
        """Write what `served` returns. Raises StoreError."""
        with self._writing() as connection:
            connection.execute("update time set served = ?", (seconds,))

    def expire(self, kept: Container[str] = ()) -> None:
        """Delete the unfinished games that nobody has played for long, except those in `kept`.

        Raises StoreError.
        """
        now = self._now()
        rows = self._rows(EXPIRED, (_text(now - UNPLAYED), _text(now - UNFINISHED)))
        with self._writing() as connection:
            for (identity,) in rows:
                if identity not in kept:
                    _delete(connection, identity)

    def invite(self, invitation: Invitation) -> None:
        """Write a new invitation, which ends an older one to the same seat. Raises StoreError."""
        old = "delete from invitations where game = ? and seat = ? and taken = ''"
        with self._writing() as connection:
            connection.execute(old, (invitation.game, invitation.seat))
            connection.execute(INVITE, invitation)

    def take(
        self,
        invitation: Invitation,
        holders: Iterable[Holder],
        state: str,
        summary: Mapping[str, Any],
    ) -> bool:
        """Write that a seat is taken, and the new holders of the seats, all or nothing.

        Returns whether the invitation could still be used. Raises StoreError.
        """
        used = "update invitations set taken = ? where secret = ? and taken = ''"
        with self._writing() as connection:
            if connection.execute(used, (utc_now(), invitation.secret)).rowcount != 1:
                return False
            _seat(connection, invitation.game, holders)
            _change(connection, invitation.game, state, summary, self._text())
        return True

    def hold(self, holder: Holder) -> None:
        """Write what one browser holds in a game. Raises StoreError."""
        with self._writing() as connection:
            connection.execute("insert or replace into seats values (?,?,?,?,?)", _row(holder))

    def invitation(self, secret: str) -> Invitation | None:
        """Return the invitation whose secret has this hash; None if there is none.

        Raises StoreError.
        """
        query = "select secret, game, seat, made, taken from invitations where secret = ?"
        rows = self._rows(query, (secret,))
        if not rows or rows[0][2] not in (0, 1):
            return None
        name, game, seat, made, taken = rows[0]
        return Invitation(str(name), str(game), int(seat), str(made), str(taken))

    def knows(self, secret: str) -> bool:
        """Return whether a browser with this hash of a secret holds a seat in any game.

        Raises StoreError.
        """
        query = "select 1 from seats where secret = ? and key = 0 limit 1"
        return bool(self._rows(query, (secret,)))

    def key(self, secret: str) -> Holder | None:
        """Return what the key with this hash opens; None if there is none. Raises StoreError."""
        query = "select secret, game, seats, owner, key from seats where secret = ? and key = 1"
        rows = self._rows(query, (secret,))
        return _holder(rows[0]) if rows else None

    def has(self, identity: str) -> bool:
        """Return whether there is such a game. Raises StoreError."""
        return bool(self._rows("select 1 from games where id = ?", (identity,)))

    def game(self, identity: str) -> StoredGame | None:
        """Return a game; None if there is none. Raises StoreError."""
        found = self._rows("select id, request, state from games where id = ?", (identity,))
        if not found:
            return None
        name, request, state = map(str, found[0])
        return StoredGame(name, request, state, self.holders(identity))

    def exhibitions(self, most: int) -> list[str]:
        """Return the ids of the last games between engines, the newest last. Raises StoreError."""
        found = self._rows(EXHIBITIONS, (most,))
        return [str(name) for (name,) in reversed(found)]

    def holders(self, identity: str) -> tuple[Holder, ...]:
        """Return who holds the seats of a game, the owner first. Raises StoreError."""
        query = (
            "select secret, game, seats, owner, key from seats where game = ? "
            "order by owner desc, rowid"
        )
        return tuple(_holder(row) for row in self._rows(query, (identity,)))

    def summary(self, identity: str) -> dict[str, Any] | None:
        """Return what a list shows of a game, and when it changed; None if there is none.

        `kept_until` is the day on which an unfinished one is deleted if nobody plays on.
        Raises StoreError.
        """
        query = "select summary, changed, over, turns from games where id = ?"
        rows = self._rows(query, (identity,))
        if not rows:
            return None
        summary, changed, over, turns = rows[0]
        kept_until = None if over else _expiry(str(changed), is_played=turns != 0)
        return {**_object(summary), "changed": str(changed), "kept_until": kept_until}

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Delete the least missed game, once there are too many. Raises StoreError."""
        (number,) = connection.execute("select count(*) from games").fetchone()
        if number < self._most:
            return
        now = self._now()
        oldest = (_text(now - YOUNG_UNPLAYED), _text(now - YOUNG))
        spare = connection.execute(SPARE, oldest).fetchone()
        if spare is None:
            raise StoreError(
                f"This server keeps {number} unfinished games and takes no more today."
            )
        _delete(connection, spare[0])

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        try:
            with self.connection.bounded(), closing(self.connection.cursor()) as cursor:
                return cursor.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"Cannot read {self.path}: {error}.") from None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write what the block writes, all or nothing. Raises StoreError."""
        try:
            with self.connection as connection:
                yield connection
        except sqlite3.Error as error:
            said = f"Nothing is changed, since {self.path} cannot be written: {error}."
            raise StoreError(said) from None

    def _text(self) -> str:
        return _text(self._now())


def _seat(connection: sqlite3.Connection, game: str, holders: Iterable[Holder]) -> None:
    connection.execute("delete from seats where game = ?", (game,))
    connection.executemany("insert into seats values (?,?,?,?,?)", map(_row, holders))


def _delete(connection: sqlite3.Connection, identity: str) -> None:
    for deletion in DELETIONS:
        connection.execute(deletion, (identity,))


def _change(
    connection: sqlite3.Connection,
    identity: str,
    state: str,
    summary: Mapping[str, Any],
    changed: str,
) -> None:
    row = (state, json.dumps(summary), int(bool(summary["over"])), summary["turns"], changed)
    query = "update games set state=?, summary=?, over=?, turns=?, changed=? where id=?"
    connection.execute(query, (*row, identity))


def _row(holder: Holder) -> tuple[object, ...]:
    seats = json.dumps(holder.seats)
    return (holder.secret, holder.game, seats, int(holder.is_owner), int(holder.is_key))


def _holder(row: Sequence[Any]) -> Holder:
    secret, game, seats, owner, key = row
    return Holder(str(secret), str(game), _seats(seats), bool(owner), bool(key))


def _seats(text: object) -> tuple[int, ...]:
    """Return the seats of a JSON array, which a stranger may have written."""
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return ()
    return tuple(seat for seat in (0, 1) if isinstance(found, list) and seat in found)


def _object(text: object) -> dict[str, Any]:
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _expiry(changed: str, *, is_played: bool) -> str | None:
    """Return the day until which a game is kept; None if `changed` is not a time."""
    try:
        since = datetime.fromisoformat(changed)
    except ValueError:
        return None
    return (since + (UNFINISHED if is_played else UNPLAYED)).date().isoformat()


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
