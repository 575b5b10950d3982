"""A ledger as a file: everything that reads or writes one opens it here.

A ledger may come from a stranger, who may have written any SQLite file. Anything that could make a
query run code is refused, and every query is bounded, see safe_files/sqlite_file.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from oddly.safe_files import BoundedConnection, json_object
from oddly.safe_files.sqlite_file import (
    SIDECARS,
    HeldFileError,
    check_plain_tables,
    file_beside,
    held,
    is_damage,
    is_no_database,
    is_unopened,
    is_unwritable,
    lock,
    log_beside,
    reason,
    unlock,
)
from oddly.safe_files.whole_files import whole_file
from oddly.tournaments.ledger.rulings import Rulings, read_rulings
from oddly.tournaments.ledger.schema import (
    APPLICATION,
    FIRST_VERSION,
    SINCE_VERSION_3,
    TABLES,
    VERSION,
    LedgerError,
    chain_rows,
    damaged,
)
from oddly.tournaments.ledger.summaries import has_missing, write_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import IO

    from oddly.tournaments.ledger.event_facts import Facts


UNREADABLE = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""Raised for values of a kind that no ledger has."""


class LedgerFile:
    """A ledger's file, open until the end of its `with` block."""

    def __init__(self, path: Path, *, read_only: bool = False, beside_run: bool = False) -> None:
        """Open the ledger; with `beside_run`, also while a run holds it, for rulings alone."""
        self.path = path
        self._read_only = read_only
        self._lock: IO[bytes] | None = None
        if read_only:
            self._connection = open_to_read(path)
        else:
            try:
                self._lock = lock(path)
            except HeldFileError:
                if not beside_run:
                    raise
            try:
                # A run that holds it may be of the previous version.
                self._connection = open_to_write(
                    path, upgrade=self._lock is not None, may_be_new=not beside_run
                )
            except BaseException:
                unlock(self._lock)
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger, and let other processes write to it."""
        try:
            if self._lock is None:
                self._connection.close()
            else:
                self._connection.close_merged()
        finally:
            unlock(self._lock)

    @property
    def is_held_by_a_run(self) -> bool:
        """Whether a run is writing to the ledger, which is open for rulings."""
        return self._lock is None and not self._read_only

    def event(self) -> Facts | None:
        """Return the facts of the event; None in a new ledger."""
        row = next(self._fetch("select facts from event"), None)
        return None if row is None else self._object(row[0])

    def rulings(self) -> Rulings:
        """Return the rulings of the arbiter."""
        with self._reading():
            return read_rulings(self._connection)

    def happenings(self) -> list[tuple[str, str]]:
        """Return what happened to the event, each with its moment in UTC, ISO 8601."""
        rows = self._fetch("select moment, what from happenings order by rowid")
        return [(str(moment), str(what)) for moment, what in rows]

    def number_of_rulings(self) -> int:
        """Return the number of rulings in a ledger that is open for writing."""
        return int(next(self._fetch("select count(*) from rulings"))[0])

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let the block read the ledger as of one moment, whatever a run writes meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        with self._reading():
            self._connection.execute("begin")
        try:
            yield
        finally:
            self._connection.rollback()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise LedgerError for anything wrong with the file or its contents."""
        try:
            with self._connection.bounded():
                yield
        except sqlite3.Error as error:
            if is_damage(error):
                raise damaged(self.path, str(error)) from None
            verb = "written" if not self._read_only and is_unwritable(error) else "read"
            raise LedgerError(f"{self.path} cannot be {verb}: {reason(error)}") from None
        except UNREADABLE as error:
            raise damaged(self.path, str(error)) from None

    def _fetch(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows. Damage may show at any of them."""
        with self._reading():
            # `yield from` would close the cursor at the end, perhaps after the connection.
            cursor = self._connection.execute(query, values)
            while (row := cursor.fetchone()) is not None:
                yield row

    def _object(self, text: str) -> Facts:
        try:
            return json_object(text)
        except ValueError as error:
            raise damaged(self.path, str(error)) from None


MAX_CHECKED_BYTES = 1 << 28
"""The largest ledger, in bytes, that is read completely when it is opened, to check it.

A larger one would take seconds, or minutes on a slow disk. Damage in it shows when it is read.
"""


def open_to_write(
    path: Path, *, upgrade: bool = True, may_be_new: bool = True
) -> BoundedConnection:
    """Return a connection to the ledger at `path`; a missing one is made if it `may_be_new`.

    A game is on the disk when its transaction ends. With `upgrade`, a ledger of an older version
    is upgraded to this version. Raises LedgerError if the file cannot be used.
    """
    is_new = may_be_new and (not path.exists() or path.stat().st_size == 0)
    connection = _connect(path, "rwc" if may_be_new else "rw")
    try:
        if is_new:
            connection.create(TABLES, APPLICATION, VERSION)
        else:
            _check(connection, path)
        connection.write_durably()
        if upgrade:
            _upgrade(connection)
    except sqlite3.Error as error:
        connection.close()
        what = " cannot be written" if is_unwritable(error) else ""
        raise LedgerError(f"{path}{what}: {reason(error)}") from None
    except UNREADABLE as error:
        connection.close()
        raise damaged(path, str(error)) from None
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def new_ledger(path: Path) -> Iterator[BoundedConnection]:
    """Yield a connection to a new ledger, in a transaction, for rows alone.

    When the block succeeds, the rows get their summaries and entries in the chain, and the
    file gets its name. So there is a complete ledger or none. Raises LedgerError if there is a file
    at `path`, if another process makes one there, or if it cannot be written.
    """
    try:
        with (
            held(path),
            whole_file(path, SIDECARS) as part,
            closing(_connect(part, "rw")) as connection,
        ):
            connection.create(TABLES, APPLICATION, VERSION)
            connection.write_durably()
            with connection:
                connection.execute("begin immediate")
                yield connection
                write_missing(connection)
                chain_rows(connection)
            connection.execute("pragma journal_mode = delete")
    except FileExistsError:
        raise LedgerError(f"{path} already exists: name a new file") from None
    except OSError as error:
        raise LedgerError(f"cannot write {path}: {error.strerror}") from None
    except sqlite3.Error as error:
        if not is_unwritable(error):
            raise
        raise LedgerError(f"cannot write {path}: {reason(error)}") from None


def _upgrade(connection: BoundedConnection) -> None:
    """Upgrade a ledger of version 2 to this version."""
    with connection:
        connection.execute("begin immediate")
        (version,) = connection.execute("pragma user_version").fetchone()
        if version < VERSION:
            # A ledger made by 1.0.0's `merge` from Python has none yet.
            write_missing(connection)
            chain_rows(connection, SINCE_VERSION_3)
            connection.execute(f"pragma user_version = {VERSION}")


def open_to_read(path: Path, *, is_broken: bool = False) -> BoundedConnection:
    """Return a connection that reads the ledger at `path`, while another process may write to it.

    With `is_broken`, damage is allowed, and shows on reading. Raises LedgerError if the file cannot
    be used.
    """
    if path.is_dir():
        raise LedgerError(f"{path} is a directory, not a ledger")
    if not path.is_file():
        raise LedgerError(f"there is no ledger {path}")
    connection = _connect(path, "ro")
    try:
        if _lacks_a_place(connection):
            connection.close()
            connection = _copied(path, is_broken=is_broken)
        _check(connection, path, is_broken=is_broken)
        if not is_broken:
            _check_summaries(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _lacks_a_place(connection: BoundedConnection) -> bool:
    """Return whether SQLite has no place for its index, as in a read-only folder."""
    try:
        connection.execute("pragma application_id")
    except sqlite3.Error as error:
        return is_unopened(error) or is_unwritable(error)
    return False


def _copied(path: Path, *, is_broken: bool) -> BoundedConnection:
    """Return a connection to a copy of a ledger where nothing can be written.

    Above MAX_CHECKED_BYTES it is in a temporary file, else in memory. SQLite reads such a ledger
    if it need not expect changes. But another user may write to it, so it is only copied so, and
    the copy counts if the file stayed as it was. Raises LedgerError.
    """
    if log := log_beside(path):
        raise LedgerError(
            f"{path} cannot be read where nothing can be written, because {log} beside it has a "
            "part of it: copy both into another folder"
        )
    before = path.stat()
    place = ":memory:" if before.st_size <= MAX_CHECKED_BYTES else ""
    with closing(_connect(path, "ro&immutable=1")) as source:
        copy = sqlite3.connect(place, factory=BoundedConnection, check_same_thread=False)
        try:
            source.backup(copy)
        except sqlite3.Error as error:
            copy.close()
            raise _unopened(error, path, is_broken=is_broken) from None
    if place:
        copy.execute("pragma temp_store = memory")
    after = path.stat()
    is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if log_beside(path) or not is_same:
        copy.close()
        raise LedgerError(f"{path} was written to while it was read: try again")
    copy.bound_by(after.st_size)
    return copy


def _connect(path: Path, mode: str) -> BoundedConnection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        # A reader may be used from several threads, one at a time.
        connection = sqlite3.connect(
            address, uri=True, timeout=10, factory=BoundedConnection, check_same_thread=mode != "ro"
        )
    except sqlite3.Error as error:
        raise LedgerError(f"cannot open {path}: {reason(error)}") from None
    if path.exists():
        connection.bound_by(path.stat().st_size)
    return connection


def _check(connection: BoundedConnection, path: Path, *, is_broken: bool = False) -> None:
    """Raise LedgerError unless it is a whole ledger of this version."""
    try:
        with connection.bounded():
            (application,) = connection.execute("pragma application_id").fetchone()
            (version,) = connection.execute("pragma user_version").fetchone()
            if application != APPLICATION:
                what = "an SQLite file, but" if path.stat().st_size else "an empty file,"
                raise LedgerError(f"{path} is {what} not a ledger of oddly")
            if not FIRST_VERSION <= version <= VERSION:
                remedy = "install a newer one"
                if version < FIRST_VERSION:
                    remedy = "'oddly salvage' makes a new ledger of its games"
                raise LedgerError(
                    f"{path} is a ledger of version {version}; this oddly knows {FIRST_VERSION} to "
                    f"{VERSION}: {remedy}"
                )
            check_plain_tables(connection, path)
            if is_broken:
                return
            if path.stat().st_size > MAX_CHECKED_BYTES:
                _check_size(connection, path)
                return
            with closing(connection.execute("pragma quick_check(1)")) as cursor:
                (verdict,) = cursor.fetchone()
            if verdict != "ok":
                raise damaged(path, verdict.splitlines()[0])
    except sqlite3.DatabaseError as error:
        raise _unopened(error, path, is_broken=is_broken) from None
    except UnicodeDecodeError as error:
        what = f"a table has text that is not UTF-8: {error}"
        raise damaged(path, what, can_be_verified=not is_broken) from None


def _unopened(error: sqlite3.Error, path: Path, *, is_broken: bool) -> LedgerError:
    """Return why a ledger cannot be opened."""
    if is_damage(error):
        return damaged(path, reason(error), can_be_verified=not is_broken)
    what = "is not a ledger" if is_no_database(error) else "cannot be opened"
    return LedgerError(f"{path} {what}: {reason(error)}")


def _check_summaries(connection: BoundedConnection, path: Path) -> None:
    """Raise LedgerError if games lack summaries, as in ledgers merged by 1.0.0 from Python."""
    try:
        with connection.bounded():
            (version,) = connection.execute("pragma user_version").fetchone()
            if version < VERSION and has_missing(connection):
                raise LedgerError(
                    f"{path} lacks the summaries of games: a run that goes on with it, or 'oddly "
                    "salvage', writes them"
                )
    except sqlite3.DatabaseError as error:
        raise damaged(path, reason(error)) from None


def _check_size(connection: BoundedConnection, path: Path) -> None:
    """Raise LedgerError if the file is truncated, unless a log beside it has the rest."""
    log = file_beside(path, "-wal")
    if log.exists() and log.stat().st_size:
        return
    (pages,), (size,) = (
        connection.execute(query).fetchone() for query in ("pragma page_count", "pragma page_size")
    )
    if path.stat().st_size < pages * size:
        raise damaged(path, f"it has {path.stat().st_size} bytes of {pages * size}")


def utc_now() -> str:
    """Return the present moment in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
