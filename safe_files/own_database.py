"""A database that only one process of ours writes: locked, and migrated to the current version."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from oddly.safe_files.sqlite_file import (
    BoundedConnection,
    UnusableFileError,
    check_plain_tables,
    is_damage,
    is_no_database,
    lock,
    reason,
    unlock,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    Migration = Callable[[sqlite3.Connection], None]

TIMEOUT = 10.0
"""Seconds to wait for another process that reads the file."""


class DatabaseKind(NamedTuple):
    """The tables of a kind of database, and how an older version gets them."""

    noun: str
    application: int
    """SQLite's `application_id`: four letters."""
    version: int
    tables: str
    migrations: Mapping[int, Migration] = {}
    """By version: what turns a file of version n into one of version n + 1."""
    has_indexes: bool = False

    @property
    def known_as(self) -> str:
        """The noun with its article."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def check(self, connection: BoundedConnection, path: Path) -> None:
        """Raise UnusableFileError unless the file is one of this kind, with plain tables only.

        Its version must be the current one, or one that can be migrated.
        """
        (application,) = connection.execute("pragma application_id").fetchone()
        (version,) = connection.execute("pragma user_version").fetchone()
        if application != self.application:
            raise UnusableFileError(f"{path} is not {self.known_as} of oddly")
        if not (version == self.version or version in self.migrations):
            remedy = ": install a newer one" if version > self.version else ""
            raise UnusableFileError(
                f"{path} has version {version}; this oddly knows version {self.version}{remedy}"
            )
        check_plain_tables(connection, path, self.noun, has_indexes=self.has_indexes)

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Migrate a checked file to this version, each step whole or not at all.

        Raises sqlite3.Error.
        """
        (version,) = connection.execute("pragma user_version").fetchone()
        while version < self.version:
            connection.execute("begin immediate")
            with connection:
                self.migrations[version](connection)
                version += 1
                connection.execute(f"pragma user_version = {version}")


class OwnDatabase:
    """An open database, made if it is missing, which no other user may read.

    If its path is None, it is in memory. Opening it raises UnusableFileError.
    """

    def __init__(self, path: Path | None, kind: DatabaseKind, rows: str = "") -> None:
        """Open the database; a new one begins with the `rows`, given as SQL."""
        self._lock: IO[bytes] | None = None if path is None else lock(path, kind.noun)
        try:
            self.connection = _open(path, kind, rows)
        except BaseException:
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
        try:
            # A full disk may keep the log from being merged; it stays beside the file.
            with suppress(sqlite3.Error):
                self.connection.close()
        finally:
            unlock(self._lock)


def _open(path: Path | None, kind: DatabaseKind, rows: str) -> BoundedConnection:
    with _as_unusable_file(path, kind):
        if path is not None and not path.exists():
            path.touch(mode=0o600)
        name = ":memory:" if path is None else path.absolute()
        connection = sqlite3.connect(name, timeout=TIMEOUT, factory=BoundedConnection)
        try:
            if path is not None:
                connection.bound_by(path.stat().st_size)
            with connection.bounded():
                _prepare(connection, path, kind, rows)
            connection.write_durably()
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(
    connection: BoundedConnection, path: Path | None, kind: DatabaseKind, rows: str
) -> None:
    (application,) = connection.execute("pragma application_id").fetchone()
    (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
    if path is None or not (application or tables):
        connection.create(kind.tables + rows, kind.application, kind.version)
        return
    kind.check(connection, path)
    with closing(connection.execute("pragma quick_check(1)")) as cursor:
        (verdict,) = cursor.fetchone()
    if verdict != "ok":
        raise UnusableFileError(f"{path} is damaged: {verdict.splitlines()[0]}")
    kind.migrate(connection)


@contextmanager
def _as_unusable_file(path: Path | None, kind: DatabaseKind) -> Iterator[None]:
    """Raise UnusableFileError for what is wrong with the file or its folder."""
    try:
        yield
    except OSError as error:
        raise UnusableFileError(f"cannot write {path}: {error.strerror}") from None
    except sqlite3.Error as error:
        what = "cannot be used"
        if is_no_database(error):
            what = f"is not {kind.known_as}"
        elif is_damage(error):
            what = "is damaged"
        raise UnusableFileError(f"{path} {what}: {reason(error)}") from None
