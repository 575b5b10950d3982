"""Opening ledgers: everything that reads or writes one opens it here.

A ledger may come from a stranger, who may have written any SQLite file. Anything that could make a
query run code is refused, and every query is bounded, see bounded_connection.py.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from oddly.games.untrusted_text import one_line
from oddly.safe_files.bounded_connection import BoundedConnection
from oddly.tournaments.ledger.schema import (
    APPLICATION,
    TABLES,
    VERSION,
    LedgerError,
    complete_tables,
    damaged,
)

if TYPE_CHECKING:
    from pathlib import Path

MAX_CHECKED_BYTES = 1 << 28
"""The largest ledger, in bytes, that is read through when it is opened, to see whether it is whole.

A larger one would take seconds, or minutes on a slow disk. Damage in it shows when it is read.
"""

COMPUTING = frozenset({"as", "check", "collate", "default", "generated", "references"})
"""The words of SQL by which a table computes values. No ledger needs them."""

COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def open_to_write(path: Path) -> BoundedConnection:
    """Return a connection to the ledger at `path`, which is created if it is missing.

    A game is on the disk when its transaction ends. Raises LedgerError if the file cannot be used.
    """
    is_new = not path.exists() or path.stat().st_size == 0
    connection = _connect(path, "rwc")
    try:
        if is_new:
            connection.create(TABLES, APPLICATION, VERSION)
        else:
            _check(connection, path)
        connection.write_durably()
        complete_tables(connection)
    except sqlite3.Error as error:
        connection.close()
        raise LedgerError(f"{path}: {_reason(error)}") from None
    except LedgerError:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, *, is_broken: bool = False) -> BoundedConnection:
    """Return a connection that reads the ledger at `path`, while another process may write to it.

    If it `is_broken`, damage is allowed, and shows on reading. Raises LedgerError if the
    file cannot be used.
    """
    if not path.is_file():
        raise LedgerError(f"there is no ledger {path}")
    connection = _connect(path, "ro")
    try:
        _check(connection, path, is_broken=is_broken)
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


def _connect(path: Path, mode: str) -> BoundedConnection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=10, factory=BoundedConnection)
    except sqlite3.Error as error:
        raise LedgerError(f"cannot open {path}: {_reason(error)}") from None
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
                raise LedgerError(f"{path} is an SQLite file, but not a ledger of oddly")
            if version > VERSION:
                raise LedgerError(
                    f"{path} is a ledger of version {version}; this oddly knows up to {VERSION}: "
                    "install a newer one"
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
        if is_damage(error):
            raise damaged(path, _reason(error)) from None
        raise LedgerError(f"{path} is not a ledger: {_reason(error)}") from None


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error says that the file is damaged."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT


def check_plain_tables(connection: BoundedConnection, path: Path) -> None:
    """Raise LedgerError if the file has anything other than tables of values."""
    for kind, name, text in connection.execute("select type, name, sql from sqlite_master"):
        words = set(re.findall(r"\w+", COMMENT.sub(" ", str(text)).lower()))
        if text is None and kind == "index":
            continue
        found = (
            f"virtual {kind}" if "virtual" in words else f"{kind}".replace("index", "made index")
        )
        if found == "table":
            if not words & COMPUTING:
                continue
            found = "table that computes"
        raise LedgerError(
            f"{path} is not read: a ledger has plain tables only, and this file has a "
            f"{one_line(found)}, {one_line(str(name))!r}"
        )


def _check_size(connection: BoundedConnection, path: Path) -> None:
    """Raise LedgerError if the file is cut off, unless a log beside it has the rest."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return
    (pages,), (size,) = (
        connection.execute(query).fetchone() for query in ("pragma page_count", "pragma page_size")
    )
    if path.stat().st_size < pages * size:
        raise damaged(path, f"it has {path.stat().st_size} bytes of {pages * size}")


def _reason(error: sqlite3.Error) -> str:
    return str(error) or type(error).__name__
