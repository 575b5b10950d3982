"""The games on the page, in an SQLite file and in a ledger of their own.

A game is a row with the request that opened it, its state and what a list of games shows of it. A
table beside it has the secret links. The file is locked while a server has it open.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.interfaces.web.terms import GameLink
from oddly.safe_files import BoundedConnection
from oddly.safe_files.sqlite_file import UnusableFileError, check_plain_tables, lock, unlock
from oddly.tournaments import Ledger, ScheduledGame
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from oddly.referee import GameRecord


APPLICATION = 0x6F646477
"""`oddw`, in the place where SQLite files name their application."""
VERSION = 1
NOUN = "file of games"
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
create table links (
    key text primary key,
    game text not null,             -- as in games
    seats text not null,            -- a JSON array
    owner integer not null,
    unique (game, key)
);
"""
SPARE = (
    "select id from games where over = 1 or turns = 0 order by turns > 0, changed limit 1",
    "delete from links where game = ?",
    "delete from games where id = ?",
)


class StoredGame(NamedTuple):
    """A game as it lies in the file: JSON texts, and its links, the owner's first."""

    id: str
    request: str
    state: str
    links: tuple[GameLink, ...]


class StoreError(Exception):
    """A change that could not be written. The message is one sentence."""


class GameStore:
    """An open file of games. Opening it raises UnusableFileError."""

    def __init__(self, path: Path, most: int) -> None:
        self.path = path
        self._most = most
        self._lock = lock(path, NOUN)
        try:
            self._connection = _open(path)
        except sqlite3.Error as error:
            unlock(self._lock)
            raise UnusableFileError(f"{path} cannot be used: {error}") from None
        except UnusableFileError:
            unlock(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        unlock(self._lock)

    def add(self, game: StoredGame, summary: Mapping[str, Any]) -> None:
        """Write a new game with its links. Raises StoreError."""
        row = (game.id, game.request, game.state, json.dumps(summary), 0, summary["turns"], _now())
        links = [
            (link.key, link.game, json.dumps(link.seats), int(link.is_owner)) for link in game.links
        ]
        try:
            with self._connection as connection:
                self._make_room(connection)
                connection.execute("insert into games values (?,?,?,?,?,?,?)", row)
                connection.executemany("insert into links values (?,?,?,?)", links)
        except sqlite3.Error as error:
            raise self._error(error) from None

    def change(self, identity: str, state: str, summary: Mapping[str, Any]) -> None:
        """Write the new state of a game: it is on the disk on return. Raises StoreError."""
        row = (state, json.dumps(summary), int(bool(summary["over"])), summary["turns"], _now())
        query = "update games set state=?, summary=?, over=?, turns=?, changed=? where id=?"
        try:
            with self._connection as connection:
                connection.execute(query, (*row, identity))
        except sqlite3.Error as error:
            raise self._error(error) from None

    def link(self, key: str) -> GameLink | None:
        """Return the link with a key; None if there is none. Raises StoreError."""
        rows = self._rows("select key, game, seats, owner from links where key = ?", (key,))
        return _link(rows[0]) if rows else None

    def game(self, identity: str) -> StoredGame | None:
        """Return a game; None if there is none. Raises StoreError."""
        found = self._rows("select id, request, state from games where id = ?", (identity,))
        if not found:
            return None
        query = "select key, game, seats, owner from links where game = ? order by rowid"
        links = tuple(_link(row) for row in self._rows(query, (identity,)))
        name, request, state = map(str, found[0])
        return StoredGame(name, request, state, links)

    def summaries(self, keys: Iterable[str]) -> list[dict[str, Any]]:
        """Return what a list shows of the games with these keys, the last changed one first.

        Raises StoreError.
        """
        query = (
            "select key, seats, owner, changed, summary from links join games "
            "on games.id = links.game where key = ?"
        )
        found = [row for key in keys for row in self._rows(query, (key,))]
        found.sort(key=lambda row: str(row[3]), reverse=True)
        return [
            {
                **_object(summary),
                "id": key,
                "seats": _seats(seats),
                "owner": bool(owner),
                "changed": changed,
            }
            for key, seats, owner, changed, summary in found
        ]

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Delete the game that is missed least, once there are too many. Raises StoreError."""
        find, *deletions = SPARE
        (number,) = connection.execute("select count(*) from games").fetchone()
        if number < self._most:
            return
        spare = connection.execute(find).fetchone()
        if spare is None:
            raise StoreError(f"This server keeps {number} unfinished games and takes no more.")
        for deletion in deletions:
            connection.execute(deletion, spare)

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        try:
            with self._connection.bounded(), closing(self._connection.cursor()) as cursor:
                return cursor.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"Cannot read {self.path}: {error}.") from None

    def _error(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"Nothing is changed, since {self.path} cannot be written: {error}.")


def _open(path: Path) -> BoundedConnection:
    """Return a connection to the file, made if missing. Raises UnusableFileError, sqlite3.Error."""
    is_new = not path.exists() or path.stat().st_size == 0
    if is_new:
        # Its links are secrets.
        path.touch(mode=0o600)
    connection = sqlite3.connect(path.absolute(), timeout=10, factory=BoundedConnection)
    try:
        connection.bound_by(path.stat().st_size)
        if is_new:
            connection.create(TABLES, APPLICATION, VERSION)
        else:
            _check(connection, path)
        connection.write_durably()
    except (sqlite3.Error, UnusableFileError):
        connection.close()
        raise
    return connection


def _check(connection: BoundedConnection, path: Path) -> None:
    """Raise UnusableFileError unless the file is a sound one of this version."""
    try:
        with connection.bounded():
            (application,) = connection.execute("pragma application_id").fetchone()
            (version,) = connection.execute("pragma user_version").fetchone()
            if application != APPLICATION:
                raise UnusableFileError(f"{path} is not a file of games on oddly's page")
            if version != VERSION:
                raise UnusableFileError(
                    f"{path} has version {version}; this oddly knows version {VERSION}"
                )
            check_plain_tables(connection, path, NOUN)
            (verdict,) = connection.execute("pragma quick_check(1)").fetchone()
            if verdict != "ok":
                raise UnusableFileError(f"{path} is damaged: {verdict.splitlines()[0]}")
    except sqlite3.DatabaseError as error:
        raise UnusableFileError(f"{path} is not a file of games: {error}") from None


def _link(row: Sequence[Any]) -> GameLink:
    key, game, seats, owner = row
    return GameLink(str(key), str(game), _seats(seats), bool(owner))


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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class GamesFile:
    """An open ledger for games that people play. Opening it raises UnusableFileError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why the last game was not recorded; empty if it was."""
        self._ledger = Ledger(path)
        self._engines: dict[str, Any] = (self._ledger.event() or {}).get("engines", {})
        self._begin(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ledger.__exit__(kind, error, trace)

    def keep(self, name: str, record: GameRecord) -> None:
        """Record a game, or set `failure`."""
        first, second = record.players
        scheduled = ScheduledGame(0, record.game, 0, first, second, 0, name)
        try:
            if not {first, second} <= self._engines.keys():
                self._begin((first, second))
            self._ledger.announce(scheduled)
            self._ledger.add(name, record)
            self.failure = ""
        except (sqlite3.Error, UnusableFileError) as error:
            self.failure = f"the game was not kept: cannot write {self.path}: {error}"

    def _begin(self, players: Sequence[str]) -> None:
        """Begin or resume the event with these players added. Raises UnusableFileError."""
        unknown = {"command": [], "time": "none", "options": {}}
        self._engines |= {name: unknown for name in players if name not in self._engines}
        self._ledger.begin(
            {
                "name": "games on the page",
                "format": FREE,
                "seed": 0,
                "rounds": 1,
                "games": [],
                "engines": self._engines,
            }
        )
