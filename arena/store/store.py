"""The arena's file and its ledgers together: every game exactly once, whenever it crashes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from oddly.arena.effects import Finished, Ruled
from oddly.arena.store.arena_file import ArenaFile
from oddly.arena.store.pool_ledgers import PoolLedgers
from oddly.arena.store.ruling_rows import known_game

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from oddly.arena.effects import Batch
    from oddly.arena.pool import PoolFacts

FILE = "arena.db"


class ArenaStore:
    """All that an arena remembers, in one folder. Opening it raises UnusableFileError.

    Games that were over when the arena stopped or crashed are then in their ledgers.
    """

    def __init__(
        self, folder: Path, arena: str, pools: Sequence[PoolFacts], host: str = ""
    ) -> None:
        self.folder = folder
        self._stack = ExitStack()
        try:
            self.file = self._stack.enter_context(ArenaFile(folder / FILE))
            self.ledgers = self._stack.enter_context(PoolLedgers(folder, arena, pools, host))
            self.heartbeat = self.file.heartbeat()
            """How far the arena's clock had surely come when the store was opened."""
            self._known = {facts.name for facts in pools}
            self.file_games()
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

    def write(self, batch: Batch, now: float) -> None:
        """Write a batch: it is on the disk on return. Raises sqlite3.Error, LedgerError."""
        for row in batch.writes:
            if isinstance(row, Ruled) and row.subject == "game":
                self._rule(row)
        self.file.write(batch, now)

    def _rule(self, ruled: Ruled) -> None:
        """Rule on a game in its ledger first: a crash after that leaves the order pending."""
        self.file_games()
        game = known_game(self.file.connection, ruled.name)
        # A game that is void or ended by the ruling counts in no ledger.
        if game is not None and not game.is_void and game.pool in self._known:
            self.ledgers.rule(game.pool, ruled)

    def file_games(self, batch: Batch | None = None) -> None:
        """Put the games that a written batch finished into their ledgers; without one, all.

        This may be repeated: a game that is already there stays as it is. Raises sqlite3.Error,
        LedgerError.
        """
        over = (
            {}
            if batch is None
            else {row.game: row.record for row in batch.writes if isinstance(row, Finished)}
        )
        if batch is not None and not over:
            return
        games = [game for game in self.file.unfiled(over) if game.plan.pool in self._known]
        for plan, record in games:
            if plan.rated:
                self.ledgers.file(plan, record)
        self.file.filed(game.plan.scheduled.id for game in games)
