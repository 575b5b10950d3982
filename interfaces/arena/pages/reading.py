"""What the pages read from the disk: finished games, and ratings over time. Threads call it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.store.pool_ledgers import ledger_path
from oddly.arena.store.store import FILE
from oddly.referee import GameRecord
from oddly.tournaments.ledger.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_POINTS = 300


class RatingThen(NamedTuple):
    """The rating of an engine at the end of an hour."""

    hour: str
    elo: float
    error: float
    games: int


class Disk:
    """The files of an arena, which are only read."""

    def __init__(self, folder: Path, pools: Iterable[str]) -> None:
        self._file = (folder / FILE).absolute()
        self.archives = {pool: Archive(ledger_path(folder, pool)) for pool in pools}

    def game(self, identity: str) -> tuple[str, GameRecord] | None:
        """Return pool and record of a finished game. Raises LedgerError or sqlite3.Error."""
        query = "select pool, record from games where id = ? and state > 0"
        with closing(self._open()) as file:
            row = file.execute(query, (identity,)).fetchone()
        if row is None or row[0] not in self.archives:
            return None
        pool, text = row
        if text is not None:
            return pool, GameRecord.from_json(json.loads(text))
        record = self.archives[pool].record(identity)
        return None if record is None else (pool, record)

    def ratings(self, pool: str, engine: str) -> list[RatingThen]:
        """Return the ratings of an engine over time, at most MAX_POINTS. Raises sqlite3.Error."""
        query = "select hour, elo, error, games from ratings where pool = ? and engine = ?"
        with closing(self._open()) as file:
            rows = file.execute(f"{query} order by hour", (pool, engine)).fetchall()
        step = -(-len(rows) // MAX_POINTS) or 1
        return [RatingThen(*row) for row in rows[::-step][::-1]]

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)
