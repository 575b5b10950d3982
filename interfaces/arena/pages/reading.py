"""What pages read from the disk: finished games, with a search, and ratings over time.

A search covers one pool or all of them. Threads call all of this.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.store.files import FILE
from oddly.arena.store.rows import present_names
from oddly.arena.store.store import ledger_path
from oddly.interfaces.arena.pages.profiles import Profile, Profiles, names_of
from oddly.interfaces.viewer.viewer import title
from oddly.referee import GameRecord
from oddly.tournaments import LedgerError
from oddly.tournaments.ledger.archive import Archive, FoundGame, GameSearch
from oddly.tournaments.ledger.ledger_file import utc_now

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path


MAX_MERGED = 1000
"""How far a search over several pools goes back, in games; within one pool it has no limit."""
FIRST_READ_WITHIN = 2.0
"""Seconds that a search waits while another thread reads a pool's games for the first time."""
NOT_READ_YET = "the arena has just started and still reads its games: try again in a few seconds"


class ArchivedGame(NamedTuple):
    """A finished game, as lists show it."""

    id: str
    pool: str
    title: str
    players: tuple[str, str]
    """The player who opened comes first."""
    winner: int | None
    score: str
    ending: str
    turns: int
    finished: str
    """UTC, ISO 8601."""


class ArchivedGames(NamedTuple):
    """One page of games, the last one to end first."""

    games: Sequence[ArchivedGame]
    total: int
    """How many were found, on all pages."""
    reached: int
    """How many of the games found can be shown."""
    engines: Collection[str]
    """The names of the engines that have a game in the pools searched."""
    titles: Collection[str]
    """The titles of the games that were played in these pools."""


class Archives:
    """The archives of all pools. Methods raise LedgerError."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.of_pool = {pool: Archive(path) for pool, path in paths.items()}

    def close(self) -> None:
        """Close all ledgers and delete the indexes."""
        for archive in self.of_pool.values():
            archive.close()

    def refresh(self) -> None:
        """Add the games that have ended since, in all pools.

        A pool to which another thread is already adding games is left to that thread.
        """
        for archive in self.of_pool.values():
            archive.refresh(0)

    def search(
        self, pools: Sequence[str], search: GameSearch, first: int, number: int
    ) -> tuple[list[tuple[str, FoundGame]], int, int]:
        """Return games with their pools, how many were found, and how many of them can be reached.

        The games begin at the index `first`, and the last one to end comes first. Raises
        LedgerError, also while another thread reads a pool for the first time.
        """
        for pool in pools:
            archive = self.of_pool[pool]
            archive.refresh(0 if archive.is_complete else FIRST_READ_WITHIN)
            if not archive.is_complete:
                raise LedgerError(NOT_READ_YET)
        if len(pools) == 1:
            found = self.of_pool[pools[0]].search(search, first, number)
            return [(pools[0], game) for game in found.games], found.total, found.total
        reach = min(MAX_MERGED, first + number)
        of_each = {pool: self.of_pool[pool].search(search, 0, reach) for pool in pools}
        merged = heapq.merge(
            *([(pool, game) for game in found.games] for pool, found in of_each.items()),
            key=lambda each: each[1].finished,
            reverse=True,
        )
        games = [each for place, each in zip(range(reach), merged, strict=False) if place >= first]
        total = sum(found.total for found in of_each.values())
        return games, total, min(total, MAX_MERGED)

    def engines(self, pools: Sequence[str]) -> set[str]:
        """Return the names of the engines that have a game in one of the pools."""
        return {name for pool in pools for name in self.of_pool[pool].engines()}

    def games(self, pools: Sequence[str]) -> list[str]:
        """Return the titles of the games that were played in the pools."""
        return list(dict.fromkeys(game for pool in pools for game in self.of_pool[pool].games()))


def listed(games: Sequence[tuple[str, FoundGame]], file: sqlite3.Connection) -> list[ArchivedGame]:
    """Return games as lists show them, with scores from the arena's file. Raises sqlite3.Error."""
    ids = [game.id for _, game in games]
    places = ",".join("?" * len(ids))
    query = f"select id, ending from games where id in ({places})"  # noqa: S608
    scores = {
        name: str(json.loads(ending)["score"])
        for name, ending in file.execute(query, ids)
        if ending
    }
    return [
        ArchivedGame(
            game.id, pool, title(game.game), game.players, game.winner,
            scores.get(game.id, ""), game.ending.value, game.turns, game.finished,
        )
        for pool, game in games
    ]  # fmt: skip


def _with_former_names(names: Iterable[str], present: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(each for name in names for each in names_of(name, present))


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


class FinishedGame(NamedTuple):
    """A game that is over."""

    pool: str
    record: GameRecord
    time: str
    """Its time control."""
    annulled: str
    """Why the keeper has annulled it; empty if that is not so."""


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

    def game(self, identity: str) -> FinishedGame | None:
        """Return a finished game. Raises LedgerError or sqlite3.Error."""
        query = (
            "select pool, record, json_extract(plan, '$.time'), "
            "(select case kind when 'annul' then reason else '' end from rulings "
            "where subject = 'game' and name = games.id order by number desc limit 1) "
            "from games where id = ? and state > 0"
        )
        with closing(self.open()) as file:
            row = file.execute(query, (identity,)).fetchone()
        if row is None or row[0] not in self.archives.of_pool:
            return None
        pool, text, time, annulled = row
        if text is not None:
            record = GameRecord.from_json(json.loads(text))
        elif (filed := self.archives.of_pool[pool].record(identity)) is not None:
            record = filed
        else:
            return None
        return FinishedGame(pool, record, time, annulled or "")

    def ratings(self, pool: str, engine: str) -> list[RatingThen]:
        """Return the ratings of an engine over time, at most MAX_POINTS. Raises sqlite3.Error."""
        query = (
            "select hour, elo, error, games from ratings "
            "where pool = ? and engine = ? and hour <= ? order by hour"
        )
        with closing(self.open()) as file:
            # Later hours are from a clock that was ahead.
            rows = file.execute(query, (pool, engine, utc_now())).fetchall()
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
            present = present_names(file)
        names = names_of(engine, present)
        return profiles.of(names, opponents, openings, present), profiles.is_complete

    def count(self) -> None:
        """Bring the indexes of all pools up to date. Raises LedgerError or sqlite3.Error."""
        for profiles in self._profiles.values():
            profiles.refresh()
        self.archives.refresh()

    def search(
        self, pools: Sequence[str], search: GameSearch, first: int, number: int
    ) -> ArchivedGames:
        """Return games from the index `first`, the last one to end first.

        The search has present names; games under former names are found too. Raises LedgerError or
        sqlite3.Error.
        """
        with closing(self.open()) as file:
            present = present_names(file)
            search = replace(
                search,
                engine=_with_former_names(search.engine, present),
                opponent=_with_former_names(search.opponent, present),
            )
            games, total, reached = self.archives.search(pools, search, first, number)
            return ArchivedGames(
                listed(games, file),
                total,
                reached,
                self.archives.engines(pools),
                self.archives.games(pools),
            )

    def leads(self, most: int) -> list[NewLead]:
        """Return who took the lead of a pool, the last first. Raises sqlite3.Error."""
        query = "select number, moment, pool, engine, elo from leaders order by number desc limit ?"
        with closing(self.open()) as file:
            return [NewLead(*row) for row in file.execute(query, (most,))]

    def open(self) -> sqlite3.Connection:
        """Return a read-only connection to the arena's file."""
        return sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)
