"""An open ledger as a file: its lock, its connection, and reading rows that may be damaged."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from oddly.tournaments.ledger.opening import is_damage, open_to_read, open_to_write
from oddly.tournaments.ledger.rulings import Rulings, read_rulings
from oddly.tournaments.ledger.schema import LedgerError, damaged, lock, unlock
from oddly.tournaments.ledger.stored_json import json_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import IO

    from oddly.tournaments.ledger.event_facts import Facts

UNREADABLE = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What is raised for values that are not of the kind that a ledger has."""


class LedgerFile:
    """A ledger's file, open until the end of its `with` block."""

    def __init__(self, path: Path, *, read_only: bool = False, beside_run: bool = False) -> None:
        """Open the ledger; with `beside_run`, also while a run holds it, for rulings alone."""
        self.path = path
        self._read_only = read_only
        self._lock: IO[str] | None = None
        if read_only:
            self._connection = open_to_read(path)
        else:
            try:
                self._lock = lock(path)
            except LedgerError:
                if not beside_run:
                    raise
            try:
                self._connection = open_to_write(path)
            except LedgerError:
                if self._lock is not None:
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
        if self._lock is not None:
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
        if not self._has("rulings"):
            return Rulings()
        with self._reading():
            return read_rulings(self._connection)

    def happenings(self) -> list[tuple[str, str]]:
        """Return what happened to the event, each with its moment in UTC, ISO 8601."""
        rows = self._fetch("select moment, what from happenings order by rowid")
        return [(str(moment), str(what)) for moment, what in rows]

    def number_of_rulings(self) -> int:
        """Return how many rulings there are, in a ledger that is written to."""
        return int(next(self._fetch("select count(*) from rulings"))[0])

    def _has(self, table: str) -> bool:
        """Return whether there is such a table: older ledgers, opened for reading, lack some."""
        return any(self._fetch("select 1 from sqlite_master where name = ?", (table,)))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise LedgerError for anything wrong with the file or its contents."""
        try:
            with self._connection.bounded():
                yield
        except sqlite3.Error as error:
            if is_damage(error):
                raise damaged(self.path, str(error)) from None
            raise LedgerError(f"{self.path} cannot be read: {error}") from None
        except UNREADABLE as error:
            raise damaged(self.path, str(error)) from None

    def _fetch(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows. A damaged file may show at any of them."""
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
