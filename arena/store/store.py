"""The arena's file and its ledgers together: every game exactly once, whenever the arena crashes.

Finished games are in one ordinary ledger for each pool.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from oddly.arena.effects import Batch, Finished, OrderDone, Ruled
from oddly.arena.store.arena_file import ArenaFile
from oddly.arena.store.files import FILE
from oddly.arena.store.rows import known_game
from oddly.games import VERSION
from oddly.safe_files.sqlite_file import UnusableFileError, reason
from oddly.tournaments import Ledger, RulingError, rule
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
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
