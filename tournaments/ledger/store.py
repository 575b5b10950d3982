"""An event's games in an open ledger."""

from __future__ import annotations

import json
import platform
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from games.catalogue import create_game
from games.errors import GameError
from referee.record import GameRecord, RecordError
from tournaments.ledger.event import additions, contradictions
from tournaments.ledger.scheduled import scheduled_facts, scheduled_from
from tournaments.ledger.schema import LedgerError, lock, open_to_read, open_to_write, unlock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import IO

    from tournaments.ledger.event import Facts
    from tournaments.schedule import ScheduledGame


class Ledger:
    """A ledger, open until the end of its `with` block. Raises LedgerError, here and later."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock: IO[str] | None = None
        if read_only:
            self._connection = open_to_read(path)
        else:
            self._lock = lock(path)
            try:
                self._connection = open_to_write(path)
            except LedgerError:
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

    def event(self) -> Facts | None:
        """What is known of the event; None in a new ledger."""
        row = self._fetch("select facts from event").fetchone()
        return None if row is None else self._object(row[0])

    def begin(self, facts: Facts) -> list[str]:
        """Begin the event, or go on with it; what was added to it since, in words.

        Raises LedgerError if finished games would mean something else.
        """
        old = self.event()
        said: list[str] = []
        if old is not None:
            said = additions(old, facts)
            if wrong := contradictions(old, facts):
                raise LedgerError(
                    f"{self.path} has games of another event: {'; '.join(wrong)}. Its games would "
                    "mean something else: take the change back, or name a new --ledger"
                )
        with self._connection as connection:
            connection.execute("delete from event")
            connection.execute("insert into event values (?)", (json.dumps(facts),))
            for what in said or (["began"] if old is None else ["went on"]):
                connection.execute("insert into happenings values (?, ?)", (_now(), what))
        return said

    def announce(self, scheduled: ScheduledGame) -> None:
        """Keep that a game begins: when this returns, it is on the disk. Raises sqlite3.Error."""
        row = scheduled.id, json.dumps(scheduled_facts(scheduled))
        with self._connection as connection:
            connection.execute("insert or ignore into scheduled values (?, ?)", row)

    def scheduled(self) -> list[ScheduledGame]:
        """The games that began, in this order, whether they ended or not."""
        found: list[ScheduledGame] = []
        # One of the first ledgers, opened for reading, has no such table.
        if not self._fetch("select 1 from sqlite_master where name = 'scheduled'").fetchone():
            return found
        for identity, text in self._fetch("select id, facts from scheduled order by rowid"):
            try:
                found.append(scheduled_from(self._object(text)))
            except (KeyError, TypeError, ValueError) as error:
                raise LedgerError(
                    f"{self.path} is damaged: the pairing {identity} cannot be read: {error}"
                ) from None
        return found

    def add(self, identity: str, record: GameRecord) -> None:
        """Keep a game: when this returns, it is on the disk. Raises sqlite3.Error.

        A game that is there already stays, unless it was void.
        """
        outcome = record.outcome
        winner = None if outcome.is_void else _winner(outcome.winner)
        row = (
            identity, *record.players, winner, outcome.termination.value,
            _now(), platform.node(), json.dumps(record.as_json()),
        )  # fmt: skip
        with self._connection as connection:
            connection.execute("delete from games where id = ? and winner is null", (identity,))
            connection.execute("insert or ignore into games values (?,?,?,?,?,?,?,?)", row)

    def records(self) -> dict[str, GameRecord]:
        """The games that count, by their ids."""
        return dict(self._records())

    def _records(self) -> Iterator[tuple[str, GameRecord]]:
        query = "select id, record from games where winner is not null"
        for identity, text in self._fetch(query):
            try:
                yield identity, GameRecord.from_json(self._object(text))
            except RecordError as error:
                raise LedgerError(f"{self.path}: game {identity} is {error}") from None

    def counts(self) -> dict[tuple[str, str, str], int]:
        """How many games that count had this first player, second player and winner."""
        rows = self._fetch(
            "select first, second, winner, count(*) from games where winner is not null "
            "group by first, second, winner"
        )
        return {(first, second, winner): number for first, second, winner, number in rows}

    def counts_by_game(self) -> dict[str, dict[tuple[str, str, str], int]]:
        """The same for each game that was played, as its title says: `yodd 6`.

        Slower than `counts`, since every record is looked into.
        """
        rows = self._fetch(
            "select json_extract(record, '$.game', '$.size', '$.settings') as game, "
            "first, second, winner, count(*) from games where winner is not null "
            "group by game, first, second, winner order by min(rowid)"
        )
        found: dict[str, dict[tuple[str, str, str], int]] = {}
        for game, first, second, winner, number in rows:
            found.setdefault(self._title(game), {})[first, second, winner] = number
        return found

    def _title(self, game: str) -> str:
        try:
            return str(create_game(*json.loads(game)))
        except (GameError, TypeError, ValueError):
            raise LedgerError(f"{self.path} is damaged: {game[:40]!r} is no game") from None

    def _fetch(self, query: str) -> sqlite3.Cursor:
        try:
            return self._connection.execute(query)
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path} cannot be read: {error}") from None

    def _object(self, text: str) -> Facts:
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise LedgerError(f"{self.path} is damaged: {text[:40]!r} is no JSON object")
        return value


def _winner(index: int | None) -> str:
    return "draw" if index is None else ("first", "second")[index]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
