"""The arena's file and its ledgers together: every game exactly once, whenever the arena crashes.

Finished games are in one ordinary ledger for each pool. A backup is a copy of all files as they are
at one moment, made while the arena runs.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self

from oddly.arena.effects import Batch, Finished, OrderDone, Ruled
from oddly.arena.store.arena_file import ArenaFile
from oddly.arena.store.ruling_rows import known_game
from oddly.arena.store.schema import BEGUN, FILE
from oddly.games import VERSION
from oddly.safe_files.sqlite_file import (
    UnusableFileError,
    is_sqlite_file,
    is_unopened,
    log_beside,
    reason,
)
from oddly.tournaments import Ledger, RulingError, rule
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from oddly.arena.game import GamePlan
    from oddly.arena.pool import PoolFacts
    from oddly.referee import GameRecord
    from oddly.tournaments.ledger.rulings import Kind


class PoolLedgers:
    """The ledgers of all pools, which `stack` closes. Opening them raises UnusableFileError."""

    def __init__(
        self, stack: ExitStack, folder: Path, arena: str, pools: Iterable[PoolFacts], host: str
    ) -> None:
        self._ledgers: dict[str, Ledger] = {}
        self._events: dict[str, dict[str, Any]] = {}
        for facts in pools:
            ledger = stack.enter_context(Ledger(ledger_path(folder, facts.name)))
            before = ledger.event() or {}
            event = {
                "name": f"{arena}: {facts.name}",
                "format": FREE,
                "seed": 0,
                "rounds": 1,
                "games": [str(facts.game)],
                "engines": before.get("engines", {}),
            }
            ledger.begin(event, f"oddly {VERSION} on {host}")
            self._ledgers[facts.name], self._events[facts.name] = ledger, event

    def file(self, plan: GamePlan, record: GameRecord) -> None:
        """Put a game into its pool's ledger, unless it is there. It is on disk on return.

        Raises sqlite3.Error, and LedgerError.
        """
        ledger, event = self._ledgers[plan.pool], self._events[plan.pool]
        new = [name for name in record.players if name not in event["engines"]]
        if new:
            unknown = {"command": [], "time": str(plan.control), "options": {}}
            event = {**event, "engines": event["engines"] | dict.fromkeys(new, unknown)}
            ledger.begin(event)
            self._events[plan.pool] = event
        ledger.add(plan.scheduled.id, record, plan.scheduled)

    def rule(self, pool: str, ruled: Ruled) -> None:
        """Annul a game in its pool's ledger, or let it count again, unless that is done already.

        Raises LedgerError.
        """
        kind: Kind = "annul" if ruled.kind == "annul" else "restore"
        with suppress(RulingError):
            rule(self._ledgers[pool], kind, [ruled.name], ruled.reason)


def ledger_path(folder: Path, pool: str) -> Path:
    """Return the path of a pool's ledger in an arena's folder."""
    return folder / f"{pool}.sqlite"


class ArenaStore:
    """Everything that an arena remembers, in one folder. Opening it raises UnusableFileError.

    Opening it also files the games that were over when the arena stopped or crashed.
    """

    def __init__(
        self, folder: Path, arena: str, pools: Sequence[PoolFacts], host: str = ""
    ) -> None:
        self.folder = folder
        self._stack = ExitStack()
        try:
            self.file = self._stack.enter_context(ArenaFile(folder / FILE))
            for each in pools:
                self._check_game(each)
            self.ledgers = PoolLedgers(self._stack, folder, arena, pools, host)
            self.heartbeat = self.file.heartbeat()
            """The last recorded time of the arena's clock when the store was opened."""
            self._known = {facts.name for facts in pools}
            self.file_games()
        except sqlite3.Error as error:
            self._stack.close()
            raise UnusableFileError(f"{folder} cannot be used: {reason(error)}") from None
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _check_game(self, facts: PoolFacts) -> None:
        """Raise UnusableFileError if a pool's ratings are from games of another game."""
        try:
            before = self.file.game_of(facts.name)
        except ValueError as error:
            said = f"{self.folder}: the pool {facts.name!r} has games that cannot be read: {error}"
            raise UnusableFileError(said) from None
        if before not in (None, facts.game):
            raise UnusableFileError(
                f"{self.folder}: the pool {facts.name!r} has games of {before}: a pool of "
                f"{facts.game} needs another name"
            )

    def write(self, batch: Batch, now: float) -> None:
        """Write a batch, which is on disk on return. Raises sqlite3.Error, LedgerError.

        If the file cannot hold its rows, the keeper's orders in it are refused.
        """
        for row in batch.writes:
            if isinstance(row, Ruled) and row.subject == "game":
                self._rule(row)
        try:
            self.file.write(batch, now)
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
            self._refuse_orders(batch, now, f"the arena cannot write it: {error}")
            if isinstance(error, OverflowError):
                raise sqlite3.Error(str(error)) from None
            raise

    def _refuse_orders(self, batch: Batch, now: float, said: str) -> None:
        """Refuse the orders of a batch: carried out again, they would stop the arena again."""
        done = [row for row in batch.writes if isinstance(row, OrderDone)]
        if done:
            refused = [OrderDone(row.number, said, is_refused=True) for row in done]
            self.file.write(Batch([*refused]), now)

    def _rule(self, ruled: Ruled) -> None:
        """Rule on a game in its ledger first: a crash after that leaves the order pending."""
        self.file_games()
        game = known_game(self.file.connection, ruled.name)
        # A game that is void, unrated or ended by the ruling counts in no ledger.
        if game is None or game.never_counts or not game.is_over:
            return
        if game.pool in self._known:
            self.ledgers.rule(game.pool, ruled)

    def file_games(self, batch: Batch | None = None) -> None:
        """Put the games that a written batch finished into their ledgers; all without a batch.

        This may be repeated: a game that is already there stays as it is. Raises sqlite3.Error,
        LedgerError.
        """
        rows = [] if batch is None else batch.writes
        over = {row.game: row.record for row in rows if isinstance(row, Finished)}
        if batch is not None and not over:
            return
        unfiled = self.file.unfiled(over)
        games = [(plan, record) for plan, record in unfiled if plan.pool in self._known]
        for plan, record in games:
            if plan.rated:
                self.ledgers.file(plan, record)
        self.file.mark_filed(plan.scheduled.id for plan, _ in games)


PATIENCE = 10.0
"""Seconds to wait while the arena writes a batch."""


def back_up(folder: Path, to: Path, others: Iterable[str] = ()) -> list[Path]:
    """Copy an arena's file, its ledgers and `others` into a new folder; return the copies.

    The copy is a complete folder of an arena, and appears as a whole or not at all. Raises
    UnusableFileError.
    """
    if not is_sqlite_file(folder / FILE):
        raise UnusableFileError(f"{folder} has no arena: there is no file {FILE} in it")
    if os.path.lexists(to):
        raise UnusableFileError(f"{to} is there already: a backup makes a new folder")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        # Not named after this process: one in another container may have the same number.
        part = Path(mkdtemp(dir=to.parent, prefix=f".{to.name}.", suffix=".part"))
        try:
            names = _copy_databases(folder, part)
            for name in others:
                if (folder / name).is_file():
                    shutil.copy2(folder / name, part / name)
                    names.append(name)
            for name in names:
                _flush(part / name)
            part.rename(to)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise UnusableFileError(f"cannot write {to}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot copy {folder} to {to}: {reason(error)}") from None
    return [to / name for name in names]


def _copy_databases(folder: Path, to: Path) -> list[str]:
    """Copy the arena's file and its ledgers as they are at one moment; return their names.

    The arena writes a game into its file before it is in a ledger, and forgets it in the file
    afterwards. So its file is locked for the moment when reading of all files begins; their logs
    keep what is read while the arena goes on writing. Raises sqlite3.Error, and UnusableFileError.
    """
    names = [FILE, *sorted(path.name for path in folder.glob("*.sqlite") if is_sqlite_file(path))]
    with ExitStack() as stack:

        def reader(name: str) -> sqlite3.Connection:
            return stack.enter_context(closing(connect_to_read(folder / name)))

        is_still = _is_still(folder / FILE)
        before = [(folder / name).stat().st_mtime_ns for name in names]
        holder, readers = reader(FILE), {name: reader(name) for name in names}
        holder.execute("begin" if is_still else "begin immediate")
        for connection in readers.values():
            connection.execute("begin")
            connection.execute("select count(*) from sqlite_master").fetchone()
        holder.execute("rollback")
        for name, connection in readers.items():
            (to / name).touch(mode=0o600)
            with closing(sqlite3.connect(to / name)) as copy:
                connection.backup(copy)
                if name == FILE:
                    _forget_addresses(copy)
    after = [(folder / name).stat().st_mtime_ns for name in names]
    if is_still and not (before == after and _is_still(folder / FILE)):
        raise UnusableFileError(f"{folder} was written to while it was copied: try again")
    return names


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect to a file of an arena, which may be running, only to read it.

    Raises sqlite3.Error, and UnusableFileError.
    """
    # SQLite locks a file that may change, and needs a folder that can be written for that.
    mode = "immutable=1" if _is_still(path) else "mode=rw"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, timeout=PATIENCE, uri=True, isolation_level=None)
    try:
        connection.execute("pragma schema_version")
    except sqlite3.Error as error:
        connection.close()
        if is_unopened(error) and (log := log_beside(path)):
            raise UnusableFileError(
                f"{path} cannot be read where nothing can be written, because {log} beside it has "
                "a part of it: copy both into another folder"
            ) from None
        raise
    return connection


def _is_still(path: Path) -> bool:
    """Return whether nobody writes a file: its folder cannot be written, and it has no log."""
    return not (os.access(path.resolve().parent, os.W_OK) or log_beside(path))


def _forget_addresses(copy: sqlite3.Connection) -> None:
    """Delete what an arena forgets after a day or a game: a backup may be kept for years."""
    copy.execute("pragma secure_delete = on")
    if copy.execute("select 1 from sqlite_master where name = 'allowances'").fetchone():
        copy.execute("delete from allowances")
    without = "update games set plan = json_remove(plan, '$.address') where state = ?"
    copy.execute(without, (BEGUN,))
    copy.commit()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
