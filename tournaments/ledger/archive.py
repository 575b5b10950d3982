"""Searches the games of a ledger, page by page, however many there are.

A ledger has no indexes, because a stranger's file with an index is refused. So a search has its own
index: a narrow row for each game that counts, in a temporary SQLite file that vanishes when it is
closed. The index follows a ledger while a run writes to it, and only the games shown are loaded.
"""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.referee import Termination
from oddly.safe_files.sqlite_file import scratch_database
from oddly.tournaments.ledger.ledger_file import UNREADABLE
from oddly.tournaments.ledger.schema import damaged
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ledger.summaries import engine_name, game_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oddly.games import Game
    from oddly.referee import GameRecord

RESULTS = {
    "won": "points = 2",
    "lost": "points = 0",
    "drawn": "winner = 2",
    "first": "winner = 0",
    "second": "winner = 1",
    "fault": "is_fault = 1",
}
"""The results to search for, as SQL: won or lost by the engine, drawn, won by the first or the
second player, or ended by a fault, such as a crash or a clock that ran out.
"""
OF_AN_ENGINE = ("won", "lost")

AT_ONCE = 1000
CACHE_KIB = 4096
"""The size of the index's cache; the rest is in its file."""

INDEX = """
create table games (
    number integer primary key, id text not null, kind integer not null, first integer not null,
    second integer not null, winner integer not null, is_fault integer not null,
    ending text not null, turns integer not null, finished text not null
);
create table seats (
    engine integer not null, number integer not null, other integer not null, kind integer not null,
    points integer not null, winner integer not null, is_fault integer not null,
    turns integer not null, primary key (engine, number)
) without rowid;
create index by_id on games (id);
create index by_kind on games (kind, number, winner, is_fault, turns);
create index by_number on games (number, winner, is_fault, turns, kind);
"""

ROWS = """
select number, id, game, first, second, winner, termination, turns, finished from summaries
where winner is not null and number > ? order by number limit ?
"""
WINNERS = {"first": 0, "second": 1, "draw": 2}


@dataclass(frozen=True, slots=True)
class GameSearch:
    """The games to search for; an empty field, or None, allows any."""

    engine: tuple[str, ...] = ()
    """The names of an engine: one that was renamed has several."""
    opponent: tuple[str, ...] = ()
    """The names of the opponent of `engine`; on their own, the same as `engine`."""
    game: str = ""
    """The title of a game: `yodd 6`."""
    result: str = ""
    """One of RESULTS; without an engine, `won` and `lost` allow any."""
    shortest: int | None = None
    """The minimum number of turns."""
    longest: int | None = None


class FoundGame(NamedTuple):
    """A game that counts, as a table shows it."""

    id: str
    number: int
    """Its number in the order in which games ended, from 1."""
    game: Game
    players: tuple[str, str]
    """The player who opened comes first."""
    winner: int | None
    ending: Termination
    turns: int
    finished: str
    """UTC, ISO 8601."""


class FoundGames(NamedTuple):
    """One page of the games that were found, the last one to end first."""

    games: Sequence[FoundGame]
    total: int
    """How many were found, on all pages."""


class _OpenLedger(Ledger):
    """A ledger that is read while it grows."""

    def rows_after(self, number: int, most: int) -> list[tuple[Any, ...]]:
        """Return rows of the games that count, in the order in which they ended."""
        self._connection.bound_by(self.path.stat().st_size)
        return list(self._fetch(ROWS, (number, most)))

    def newest(self) -> int:
        """Return the number of the last summary."""
        return int(next(self._fetch("select ifnull(max(number), 0) from summaries"))[0])

    def record(self, identity: str) -> GameRecord | None:
        """Return a game; None if no game has that id."""
        rows = list(self._fetch("select record from games where id = ?", (identity,)))
        return self._record(identity, rows[0][0]) if rows else None


class _GameIndex:
    """The games of a ledger that count, ready to be searched. One thread at a time may use it."""

    def __init__(self, made_for: object) -> None:
        self.made_for = made_for
        """The file and the number of its rulings; None for the empty index before the first."""
        self.connection = scratch_database(INDEX, CACHE_KIB)
        weakref.finalize(self, self.connection.close)
        self.names: dict[str, int] = {}
        self.games: list[Game] = []
        self._kinds: dict[str, int] = {}

    def last(self) -> int:
        """Return the number of the last game."""
        query = "select ifnull(max(number), 0) from games"
        return int(self.connection.execute(query).fetchone()[0])

    def add(self, rows: Sequence[Sequence[object]]) -> None:
        """Add rows of the summaries. Raises ValueError and the like for one that is not a game."""
        found = [self._row(row) for row in rows]
        with self.connection:
            self.connection.executemany("insert into games values (?,?,?,?,?,?,?,?,?,?)", found)
            self.connection.executemany(
                "insert into seats values (?,?,?,?,?,?,?,?)",
                (seat for row in found for seat in _seats(row)),
            )

    def _row(self, row: Sequence[object]) -> tuple[object, ...]:
        """Return the row of the index. Raises ValueError or KeyError for anything but a game."""
        number, identity, game, first, second, winner, ending, turns, finished = row
        is_fault = Termination(ending).is_forfeit
        return (
            int(str(number)), engine_name(identity), self._kind(str(game)),
            self._name(engine_name(first)), self._name(engine_name(second)),
            WINNERS[str(winner)], int(is_fault), ending, int(str(turns)), str(finished),
        )  # fmt: skip

    def _name(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = len(self.names)
        return self.names[name]

    def _kind(self, text: str) -> int:
        if text not in self._kinds:
            self.games.append(game_of(text))
            self._kinds[text] = len(self._kinds)
        return self._kinds[text]

    def search(self, search: GameSearch, first: int, number: int) -> FoundGames:
        """Return `number` games, beginning at the index `first`, and how many were found in all."""
        table, conditions, values = self._conditions(search)
        if table is None:
            return FoundGames([], 0)
        where = f" where {' and '.join(conditions)}" if conditions else ""
        total = self.connection.execute(f"select count(*) from {table}{where}", values).fetchone()  # noqa: S608
        query = (
            "select id, number, kind, first, second, winner, ending, turns, finished "  # noqa: S608
            f"from games where number in (select number from {table}{where} "
            "order by number desc limit ? offset ?) order by number desc"
        )
        rows = self.connection.execute(query, (*values, number, first)).fetchall()
        names = list(self.names)
        return FoundGames([self._found(row, names) for row in rows], total[0])

    def _conditions(self, search: GameSearch) -> tuple[str | None, list[str], list[object]]:
        """Return the table to search, the SQL conditions on its rows, and the conditions' values.

        The table is None if nothing can match.
        """
        engine = self._known(search.engine or search.opponent)
        opponent = self._known(search.opponent)
        if (search.engine and not engine) or (search.opponent and not opponent):
            return None, [], []
        kinds = [number for number, game in enumerate(self.games) if str(game) == search.game]
        result = search.result if engine or search.result not in OF_AN_ENGINE else ""
        asked: list[tuple[bool, str, list[object]]] = [
            (bool(engine), _among("engine", engine), [*engine]),
            (bool(search.engine and opponent), _among("other", opponent), [*opponent]),
            (bool(search.game), _among("kind", kinds), [*kinds]),
            (bool(result), RESULTS.get(result, ""), []),
            (search.shortest is not None, "turns >= ?", [search.shortest]),
            (search.longest is not None, "turns <= ?", [search.longest]),
        ]
        wanted = [each for each in asked if each[0]]
        values = [value for _, _, own in wanted for value in own]
        return "seats" if engine else "games", [condition for _, condition, _ in wanted], values

    def _known(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of those engines that have a game."""
        return [self.names[name] for name in names if name in self.names]

    def _found(self, row: Sequence[object], names: Sequence[str]) -> FoundGame:
        identity, number, kind, first, second, winner, ending, turns, finished = row
        return FoundGame(
            str(identity),
            int(str(number)),
            self.games[int(str(kind))],
            (names[int(str(first))], names[int(str(second))]),
            None if winner == WINNERS["draw"] else int(str(winner)),
            Termination(ending),
            int(str(turns)),
            str(finished),
        )

    def has(self, identity: str) -> bool:
        """Return whether a game with that id counts."""
        query = "select 1 from games where id = ?"
        return self.connection.execute(query, (identity,)).fetchone() is not None

    def neighbours(self, identity: str) -> tuple[str, str]:
        """Return the ids of the games that ended before and after one; empty for none."""
        own = self.connection.execute("select number from games where id = ?", (identity,))
        if (row := own.fetchone()) is None:
            return "", ""
        before = "select id from games where number < ? order by number desc limit 1"
        after = "select id from games where number > ? order by number limit 1"
        rows = (self.connection.execute(query, row).fetchone() for query in (before, after))
        one, other = ("" if found is None else str(found[0]) for found in rows)
        return one, other


class Archive:
    """The games of a ledger that another process may be writing to. Any thread may use it.

    Each method may raise LedgerError. Close it after use.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._refreshing = Lock()
        self._ledger: _OpenLedger | None = None
        self._seen: object = None
        self._index = _GameIndex(None)
        self._is_closing = False

    @property
    def is_complete(self) -> bool:
        """Whether all games have been read at least once; until then, searches find nothing."""
        return self._index.made_for is not None

    def close(self) -> None:
        """Close the ledger and delete the index. A thread that is reading games stops early."""
        self._is_closing = True
        with self._refreshing, self._lock:
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None
            self._index.connection.close()

    def refresh(self, patience: float = -1) -> None:
        """Add to the index the games that have ended since the last call.

        While another thread does it, this one waits, and returns after `patience` seconds unless
        that is -1.
        """
        if self._refreshing.acquire(timeout=patience):
            try:
                self._refresh()
            finally:
                self._refreshing.release()

    def _refresh(self) -> None:
        if self._is_closing:
            return
        with self._lock:
            ledger, index = self._open(), self._index
            made_for = self._seen, len(ledger.rulings().given)
            if index.made_for != made_for or index.last() > ledger.newest():
                # A game may no longer count, or count again. The old index is searched until all
                # games are read again.
                index = _GameIndex(made_for)
        while not self._is_closing and self._add_some(index):
            # A search need not wait until all is read.
            time.sleep(0)
        with self._lock:
            if not self._is_closing:
                self._index = index

    def _add_some(self, index: _GameIndex) -> bool:
        """Add some games to an index, and return whether there were any."""
        with self._lock:
            rows = self._open().rows_after(index.last(), AT_ONCE)
            try:
                index.add(rows)
            except UNREADABLE as error:
                raise damaged(self.path, str(error)) from None
            return bool(rows)

    def search(self, search: GameSearch, first: int, number: int) -> FoundGames:
        """Return `number` games, beginning at the index `first`, and how many were found in all."""
        with self._lock:
            return self._index.search(search, first, number)

    def record(self, identity: str) -> GameRecord | None:
        """Return a game, even one that does not count; None if no game has that id."""
        found = self.records([identity])
        return found.get(identity)

    def records(self, identities: Sequence[str]) -> dict[str, GameRecord]:
        """Return the games that exist, by id."""
        with self._lock:
            ledger = self._open()
            found = {}
            for identity in identities:
                if (record := ledger.record(identity)) is not None:
                    found[identity] = record
            return found

    def has(self, identity: str) -> bool:
        """Return whether a game with that id counts, as far as the index knows."""
        with self._lock:
            return self._index.has(identity)

    def is_annulled(self, identity: str) -> bool:
        """Return whether the arbiter has annulled a game."""
        with self._lock:
            return identity in self._open().rulings().annulled

    def neighbours(self, identity: str) -> tuple[str, str]:
        """Return the ids of the games that ended before and after one; empty for none."""
        with self._lock:
            return self._index.neighbours(identity)

    def engines(self) -> list[str]:
        """Return the names of the engines that have a game, in alphabetical order."""
        with self._lock:
            return sorted(self._index.names, key=str.casefold)

    def games(self) -> list[str]:
        """Return the titles of the games played."""
        with self._lock:
            return [str(game) for game in self._index.games]

    def _open(self) -> _OpenLedger:
        """Return the ledger as it is now, reopened if the file was replaced."""
        try:
            status = self.path.stat()
            seen = (status.st_ino, status.st_dev)
        except OSError:
            seen = (0, 0)
        if self._ledger is None or seen != self._seen:
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None
            self._ledger = _OpenLedger(self.path, read_only=True)
            self._seen = seen
        return self._ledger


def _among(column: str, values: Sequence[int]) -> str:
    return f"{column} in ({','.join('?' * len(values))})"


def _seats(row: Sequence[object]) -> Iterator[tuple[object, ...]]:
    """Yield the row of each player: its points are 0, 1 or 2."""
    number, _, kind, first, second, winner, is_fault, _, turns, _ = row
    points = {0: (2, 0), 1: (0, 2), 2: (1, 1)}[int(str(winner))]
    for engine, other, own in ((first, second, points[0]), (second, first, points[1])):
        yield engine, number, other, kind, own, winner, is_fault, turns
