"""A connection to an untrusted file, with bounded queries that signals can interrupt.

In a file made for the purpose, a query of a few kilobytes may visit more rows than there are atoms:
pages may have the same child many times. So a query gets a number of steps by the size of the file,
far above what a sound ledger needs.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS_AT_ONCE = 100_000
"""Steps of SQLite's machine, some milliseconds, after which signals and the bound are looked at."""

MIN_STEPS = 50_000_000
STEPS_A_BYTE = 20

MAX_LOG_PAGES = 200

MAX_VALUE_BYTES = 1 << 26
"""The longest text in a ledger."""


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
        """Have a transaction on the disk when it ends: WAL and FULL keep it through a power cut.

        The log is merged into the file before it fills a small disk. Raises sqlite3.Error.
        """
        self.execute("pragma journal_mode = wal")
        self.execute("pragma synchronous = full")
        self.execute(f"pragma wal_autocheckpoint = {MAX_LOG_PAGES}")

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Bound the queries of the block all together, and let signals interrupt them.

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
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
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

    def __init__(self, most: int = MIN_STEPS) -> None:
        self._left = most

    @property
    def are_spent(self) -> bool:
        return self._left < 0

    def look(self) -> bool:
        """Return whether to interrupt the query, and handle signals."""
        self._left -= STEPS_AT_ONCE
        return self._left < 0
