"""SQLite files as we use them: durable, locked by one process, and bounded if strangers wrote them.

In a malicious file of a few kilobytes, a query may visit more rows than there are atoms, as pages
may share a child many times. So the size of the file bounds the steps of a query, far above what a
sound file needs.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
from contextlib import contextmanager, suppress
from errno import EISDIR, ENOENT, ENOTDIR
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oddly.games import one_line
from oddly.safe_files.whole_files import is_named

if TYPE_CHECKING:
    from collections.abc import Iterator


STEPS_AT_ONCE = 100_000
"""Steps of SQLite's machine, a few milliseconds, between checks of signals and the bound."""

MIN_STEPS = 50_000_000
STEPS_A_BYTE = 20

MAX_LOG_PAGES = 200

PATIENCE_WITH_READERS = 1000
"""Milliseconds. Those who follow a run read its ledger when a game ends, so also at its end."""

MAX_VALUE_BYTES = 1 << 26
"""The longest text in a file."""


class BoundedConnection(sqlite3.Connection):
    """A connection that trusts nothing in the file."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.max_steps = MIN_STEPS
        self._depth = 0
        self._steps = _Steps()
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        self.execute("pragma trusted_schema = off")
        self.execute("pragma cell_size_check = on")

    def bound_by(self, size: int) -> None:
        """Bound queries by the size of the file, in bytes."""
        self.max_steps = MIN_STEPS + STEPS_A_BYTE * size

    def create(self, tables: str, application: int, version: int) -> None:
        """Make the tables of a new file and its marks, all or nothing. Raises sqlite3.Error."""
        with self:
            self.executescript(
                f"begin; {tables} pragma application_id = {application}; "
                f"pragma user_version = {version}; commit;"
            )

    def write_durably(self) -> None:
        """Make transactions durable: with WAL and FULL they survive a power cut.

        The log is merged into the file before it fills a small disk. Raises sqlite3.Error.
        """
        self.execute("pragma journal_mode = wal")
        self.execute("pragma synchronous = full")
        self.execute(f"pragma wal_autocheckpoint = {MAX_LOG_PAGES}")

    def merge_log(self) -> None:
        """Merge the log into the file and empty it, as far as the disk and readers allow."""
        with suppress(sqlite3.Error):
            self.execute("pragma wal_checkpoint(truncate)")

    def close_merged(self) -> None:
        """Close the connection so that the file is whole without its log, also for its readers.

        SQLite merges the log itself only if nobody else has the file open. A reader or writer
        that is in the middle for longer than PATIENCE_WITH_READERS keeps the last transactions in
        the log.
        """
        try:
            with suppress(sqlite3.Error):
                self.execute(f"pragma busy_timeout = {PATIENCE_WITH_READERS}")
            self.merge_log()
        finally:
            self.close()

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Bound all queries of the block together, and let signals interrupt them.

        Raises sqlite3.OperationalError if they take more than `max_steps`, and KeyboardInterrupt
        after a signal.
        """
        if not self._depth:
            self._steps = _Steps(self.max_steps)
            self.set_progress_handler(self._steps.look, STEPS_AT_ONCE)
        self._depth += 1
        try:
            yield
        except sqlite3.OperationalError as error:
            if not is_interruption(error):
                raise
            if self._steps.are_spent:
                raise sqlite3.OperationalError("a query takes too many steps") from None
            # SQLite swallows what a signal's handler raises.
            raise KeyboardInterrupt from None
        finally:
            self._depth -= 1
            if not self._depth:
                # A query may be given up after the connection is closed.
                with suppress(sqlite3.ProgrammingError):
                    self.set_progress_handler(None, 0)


class _Steps:
    """The steps of the queries in a block."""

    def __init__(self, number: int = MIN_STEPS) -> None:
        self._left = number

    @property
    def are_spent(self) -> bool:
        return self._left < 0

    def look(self) -> bool:
        """Return whether to interrupt the query, and handle signals."""
        self._left -= STEPS_AT_ONCE
        return self._left < 0


class UnusableFileError(Exception):
    """A file cannot be used. The message is one sentence that begins with its path."""


class HeldFileError(UnusableFileError):
    """A file cannot be used because another process holds it."""


def scratch_database(tables: str, cache_kib: int) -> sqlite3.Connection:
    """Return a connection, for any thread, to a new database in a file that only SQLite knows.

    It holds at most `cache_kib` KiB in memory, and is gone when the connection is closed.
    """
    connection = sqlite3.connect("", check_same_thread=False)
    connection.execute(f"pragma cache_size = -{cache_kib}")
    connection.execute("pragma synchronous = off")
    connection.execute("pragma journal_mode = off")
    connection.executescript(tables)
    return connection


def file_beside(path: Path, suffix: str) -> Path:
    """Return the path of a file beside a database, whose name has a suffix more.

    It lies where SQLite puts its own: if `path` is a link, beside what the link names.
    """
    return Path(f"{os.path.realpath(path) if path.is_symlink() else path}{suffix}")


def lock_path(path: Path) -> Path:
    """Return the path of a database's lock file, which is the same for all links to it."""
    return file_beside(path, "-lock")


def lock(path: Path, noun: str = "ledger") -> IO[bytes]:
    """Hold the file at `path` for this process until the returned file goes to `unlock`.

    The lock file has the id of this process, for people who want to send it a signal. It lies
    beside the database, since closing a second handle on the database would end SQLite's own locks.
    Raises HeldFileError, which calls it by the `noun`, if another process holds it, and
    UnusableFileError if the lock file cannot be written.
    """
    if path.is_dir():
        raise UnusableFileError(f"cannot write {path}: {os.strerror(EISDIR)}")
    beside = lock_path(path)
    while True:
        try:
            # Not emptied before it is locked: it has the id of the process that holds it.
            file = beside.absolute().open("ab", buffering=0)
        except OSError as error:
            # Without the folder the file itself cannot be written either.
            place = path if error.errno in (ENOENT, ENOTDIR) else beside
            raise UnusableFileError(f"cannot write {place}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise HeldFileError(f"{path}: another run is writing to this {noun} now") from None
        except OSError:
            # Some network file systems have no locks; there the file is used without one.
            break
        if is_named(file.fileno(), beside):
            break
        # Its holder has just removed it: we locked a file that nobody else will find.
        file.close()
    # On a full disk the id is missing; the lock holds nevertheless.
    with suppress(OSError):
        file.truncate(0)
        file.write(b"%d\n" % os.getpid())
    return file


def unlock(file: IO[bytes] | None) -> None:
    """Release the file, and remove it; None is of a database that was not locked."""
    if file is None:
        return
    with suppress(OSError):
        # Removed while still locked, so that it is no other run's.
        Path(file.name).unlink()
    file.close()


@contextmanager
def held(path: Path, noun: str = "ledger") -> Iterator[None]:
    """Hold the file during the block. Raises HeldFileError and UnusableFileError, as `lock`."""
    file = lock(path, noun)
    try:
        yield
    finally:
        unlock(file)


COMPUTING = frozenset({"as", "check", "collate", "default", "generated", "references"})
"""The SQL words by which a table computes values. None of our files needs them."""


QUOTED_OR_COMMENT = re.compile(
    r"""('[^']*'|"[^"]*"|`[^`]*`|\[[^]]*])|--[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
"""What SQL reads as one piece, so that neither hides the other's signs; quoted text is a group."""


def check_plain_tables(
    connection: BoundedConnection, path: Path, noun: str = "ledger", *, has_indexes: bool = False
) -> None:
    """Raise UnusableFileError if the file has anything other than tables of values.

    Indexes are allowed too if `has_indexes`.
    """
    for kind, name, text in connection.execute("select type, name, sql from sqlite_master"):
        words = _sql_words(str(text))
        if kind == "index" and (text is None or has_indexes):
            continue
        found = (
            f"virtual {kind}" if "virtual" in words else f"{kind}".replace("index", "made index")
        )
        if found == "table":
            if not words & COMPUTING and not _has_hidden_columns(connection, name):
                continue
            found = "table that computes"
        raise UnusableFileError(
            f"{path} is not read: a {noun} has plain tables only, and this file has a "
            f"{one_line(found)}, {one_line(str(name))!r}"
        )


def _sql_words(text: str) -> set[str]:
    """Return the words of a statement outside its comments, in small letters."""
    bare = QUOTED_OR_COMMENT.sub(lambda found: found[1] or " ", text)
    return set(re.findall(r"\w+", bare.lower()))


def _has_hidden_columns(connection: BoundedConnection, table: object) -> bool:
    """Return whether SQLite itself finds columns that are not stored as they are given."""
    query = "select 1 from pragma_table_xinfo(?) where hidden != 0"
    return connection.execute(query, (table,)).fetchone() is not None


def _has_code(error: Exception, *codes: int) -> bool:
    """Return whether the error has one of SQLite's codes; errors of Python's own have none."""
    return getattr(error, "sqlite_errorcode", None) in codes


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error says that the file is damaged."""
    return _has_code(error, sqlite3.SQLITE_CORRUPT)


def is_interruption(error: Exception) -> bool:
    """Return whether the error says that a signal or the bound of steps ended the query."""
    return _has_code(error, sqlite3.SQLITE_INTERRUPT)


def is_unopened(error: sqlite3.Error) -> bool:
    """Return whether the error says that SQLite cannot open the file, or one beside it."""
    return _has_code(error, sqlite3.SQLITE_CANTOPEN)


CANNOT_WRITE = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
    }
)


def is_unwritable(error: sqlite3.Error) -> bool:
    """Return whether the error says that the file cannot be written, as on a full disk."""
    return _has_code(error, *CANNOT_WRITE)


def reason(error: sqlite3.Error) -> str:
    """Return SQLite's message, with a hint where it may call a full disk a disk I/O error."""
    said = str(error) or type(error).__name__
    is_vague = is_unwritable(error) and "I/O" in said
    return f"{said}, perhaps because the disk is full" if is_vague else said


def is_no_database(error: sqlite3.Error) -> bool:
    """Return whether the error says that the file is not an SQLite database."""
    return _has_code(error, sqlite3.SQLITE_NOTADB)


MAGIC = b"SQLite format 3\0"
"""The first bytes of an SQLite database."""

SIDECARS = ("-wal", "-shm", "-journal")
"""The suffixes of files that SQLite puts beside a database."""


def log_beside(path: Path) -> Path | None:
    """Return the path of a file beside a database that has a part of it, if there is one."""
    logs = (file_beside(path, suffix) for suffix in ("-wal", "-journal"))
    return next((log for log in logs if log.exists() and log.stat().st_size), None)


def is_sqlite_file(path: Path) -> bool:
    """Return whether the file looks like an SQLite database."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
