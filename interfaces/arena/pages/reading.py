"""Reads for the pages from the disk: finished games, and ratings over time. Threads call it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.store.store import FILE, ledger_path
from oddly.interfaces.arena.pages.profiles import Profile, Profiles, names_of
from oddly.interfaces.arena.pages.searching import ArchivedGames, Archives, listed
from oddly.referee import GameRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from oddly.tournaments.ledger.archive import GameSearch

MAX_POINTS = 300


class RatingThen(NamedTuple):
    """The rating of an engine at the end of an hour."""

    hour: str
    elo: float
    error: float
    games: int


class NewLead(NamedTuple):
    """An engine took the lead of a pool."""

    number: int
    moment: str
    """UTC, ISO 8601."""
    pool: str
    engine: str
    elo: float


class Disk:
    """The files of an arena, opened only for reading."""

    def __init__(self, folder: Path, pools: Iterable[str]) -> None:
        self._file = (folder / FILE).absolute()
        self.ledgers = {pool: ledger_path(folder, pool) for pool in pools}
        self.archives = Archives(self.ledgers)
        self._profiles = {pool: Profiles(path) for pool, path in self.ledgers.items()}

    def close(self) -> None:
        """Close all ledgers and delete the indexes."""
        self.archives.close()
        for profiles in self._profiles.values():
            profiles.close()

    def game(self, identity: str) -> tuple[str, GameRecord] | None:
        """Return the pool and record of a finished game. Raises LedgerError or sqlite3.Error."""
        query = "select pool, record from games where id = ? and state > 0"
        with closing(self.open()) as file:
            row = file.execute(query, (identity,)).fetchone()
        if row is None or row[0] not in self.archives.of_pool:
            return None
        pool, text = row
        if text is not None:
            return pool, GameRecord.from_json(json.loads(text))
        record = self.archives.of_pool[pool].record(identity)
        return None if record is None else (pool, record)

    def ratings(self, pool: str, engine: str) -> list[RatingThen]:
        """Return the ratings of an engine over time, at most MAX_POINTS. Raises sqlite3.Error."""
        query = "select hour, elo, error, games from ratings where pool = ? and engine = ?"
        with closing(self.open()) as file:
            rows = file.execute(f"{query} order by hour", (pool, engine)).fetchall()
        step = -(-len(rows) // MAX_POINTS) or 1
        return [RatingThen(*row) for row in rows[::-step][::-1]]

    def profile(
        self, pool: str, engine: str, opponents: int, openings: int
    ) -> tuple[Profile, bool]:
        """Return what an engine did in a pool, and whether all games were counted.

        Its tables have at most `opponents` and `openings` rows.

        Raises LedgerError or sqlite3.Error.
        """
        profiles = self._profiles[pool]
        profiles.refresh()
        with closing(self.open()) as file:
            query = "select name, value from rulings where kind = 'rename' order by number"
            names = names_of(engine, file.execute(query).fetchall())
        return profiles.of(names, opponents, openings), profiles.is_complete

    def count(self) -> None:
        """Bring the indexes of all pools up to date. Raises LedgerError or sqlite3.Error."""
        for profiles in self._profiles.values():
            profiles.refresh()
        self.archives.refresh()

    def search(
        self, pools: Sequence[str], search: GameSearch, first: int, number: int
    ) -> ArchivedGames:
        """Return games from the index `first`, the last one to end first.

        Raises LedgerError or sqlite3.Error.
        """
        games, total, reached = self.archives.search(pools, search, first, number)
        with closing(self.open()) as file:
            return ArchivedGames(listed(games, file), total, reached)

    def leads(self, most: int) -> list[NewLead]:
        """Return who took the lead of a pool, the last first. Raises sqlite3.Error."""
        query = "select number, moment, pool, engine, elo from leaders order by number desc limit ?"
        with closing(self.open()) as file:
            return [NewLead(*row) for row in file.execute(query, (most,))]

    def open(self) -> sqlite3.Connection:
        """Return a connection to the arena's file, which only reads."""
        return sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)
