"""Each engine's results in a pool, counted from the pool's ledger as it grows. Threads call it."""

from __future__ import annotations

import json
import time
import weakref
from collections import Counter
from threading import Lock, RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.referee import Termination
from oddly.safe_files.sqlite_file import scratch_database
from oddly.tournaments import Ledger
from oddly.tournaments.ledger.ledger_file import UNREADABLE
from oddly.tournaments.ledger.schema import damaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from pathlib import Path

AT_ONCE = 500
CACHE_KIB = 1024
"""The size of an index's cache; the rest is in a file that only SQLite knows."""
HOURS = 24
BLACK, WHITE = 0, 1
NO_NAMES: Mapping[str, str] = MappingProxyType({})

INDEX = """
create table results (
    engine text, other text, colour integer, won integer, drawn integer, lost integer,
    primary key (engine, other, colour)
) without rowid;
create table openings (
    engine text, is_own integer, turns text, won integer, drawn integer, lost integer,
    primary key (engine, is_own, turns)
) without rowid;
create table endings (
    engine text, ending text, lost integer, games integer, primary key (engine, ending, lost)
) without rowid;
create table hours (
    engine text, hour integer, games integer, primary key (engine, hour)
) without rowid;
create table thinking (engine text primary key, turns integer, seconds real) without rowid;
"""
ROWS = """
select number, summaries.first, summaries.second, summaries.winner, summaries.termination, opening,
       summaries.finished, turns, first_turns, first_seconds, second_turns, second_seconds,
       json_extract(record, '$.winning_colour'), json_extract(record, '$.winner_index'),
       json_extract(record, '$.turns[#-1][0]'), json_extract(record, '$.turns[0][1]')
from summaries join games using (id)
where summaries.winner is not null and number > ? order by number limit ?
"""
MET = """
select ifnull(now, other) as opponent, count(*) over (),
       sum(iif(colour, 0, won)), sum(iif(colour, 0, drawn)), sum(iif(colour, 0, lost)),
       sum(iif(colour, won, 0)), sum(iif(colour, drawn, 0)), sum(iif(colour, lost, 0))
from (select * from results where engine in ({}))
left join (  -- a text, which can be indexed
    select cast(json_extract(value, '$[0]') as text) as former, json_extract(value, '$[1]') as now
    from json_each(?)
) on other = former
group by opponent order by sum(won + drawn + lost) desc, opponent limit ?
"""
SCORES = """
insert into {} values (?,?,?,?,?,?) on conflict do update
set won = won + excluded.won, drawn = drawn + excluded.drawn, lost = lost + excluded.lost
"""
ENDING = (
    "insert into endings values (?,?,?,?) on conflict do update set games = games + excluded.games"
)
HOUR = "insert into hours values (?,?,?) on conflict do update set games = games + excluded.games"
THINKING = """
insert into thinking values (?,?,?) on conflict do update
set turns = turns + excluded.turns, seconds = seconds + excluded.seconds
"""


class WinsAndLosses(NamedTuple):
    """Numbers of games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self)

    @property
    def share(self) -> float:
        """The share of the points, from 0 to 1."""
        return (self.won + self.drawn / 2) / (self.games or 1)

    def plus(self, other: WinsAndLosses) -> WinsAndLosses:
        """Return the sum of both."""
        return WinsAndLosses(*(one + two for one, two in zip(self, other, strict=True)))


class Met(NamedTuple):
    """An engine's results against another one."""

    opponent: str
    as_black: WinsAndLosses
    as_white: WinsAndLosses

    @property
    def score(self) -> WinsAndLosses:
        """The results with both colours."""
        return self.as_black.plus(self.as_white)


class Opening(NamedTuple):
    """The results of games that began in the same way."""

    turns: str
    score: WinsAndLosses


class Profile(NamedTuple):
    """An engine's results in a pool."""

    met: Sequence[Met]
    """The opponents with most games first."""
    opponents: int
    """The number of opponents in all."""
    as_black: WinsAndLosses
    as_white: WinsAndLosses
    given: Sequence[Opening]
    """The openings that the arena drew, the most frequent first."""
    own: Sequence[Opening]
    """The first turns that the engine chose itself, the most frequent first."""
    endings: Sequence[tuple[Termination, int]]
    """How its games ended, without its own faults, the most frequent first."""
    faults: Sequence[tuple[Termination, int]]
    """The faults by which it lost, the most frequent first."""
    hours: Sequence[int]
    """Its games by the hour in which they ended, UTC."""
    turns: int
    seconds: float
    """Its total thinking time."""


class _CountedLedger(Ledger):
    """A ledger that is read while it grows."""

    def rows_after(self, number: int) -> list[tuple[Any, ...]]:
        """Return rows of the games that count, in the order in which they ended."""
        self._connection.bound_by(self.path.stat().st_size)
        return list(self._fetch(ROWS, (number, AT_ONCE)))


class _Index:
    """The counts of one state of the rulings."""

    def __init__(self, rulings: int) -> None:
        self.rulings = rulings
        self.last = 0
        """The number of the last game counted."""
        self.lock = RLock()
        self.connection = scratch_database(INDEX, CACHE_KIB)
        # Another thread may still read counts that others have replaced.
        weakref.finalize(self, self.connection.close)

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add games. Raises ValueError and the like for rows that are not games."""
        counts = _Counts()
        for row in rows:
            counts.add(*row)
        with self.lock, self.connection as connection:
            counts.write(connection)
            self.last = int(rows[-1][0])

    def ask(self, query: str, names: Sequence[str], *more: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, in which `{}` stands for the names."""
        places = ",".join("?" * len(names))
        with self.lock:
            return self.connection.execute(query.format(places), (*names, *more)).fetchall()


class _Counts:
    """Sums over some games, before they are written."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str, int], WinsAndLosses] = {}
        self.openings: dict[tuple[str, int, str], WinsAndLosses] = {}
        self.endings: Counter[tuple[str, str, int]] = Counter()
        self.hours: Counter[tuple[str, int]] = Counter()
        self.thinking: dict[str, tuple[int, float]] = {}

    def add(
        self, number: int, first: str, second: str, winner: str, ending: str, opening: str,
        finished: str, turns: int, first_turns: int, first_seconds: float, second_turns: int,
        second_seconds: float, won_by: str | None, winner_index: int | None, last: str | None,
        begun_with: str | None,
    ) -> None:  # fmt: skip
        """Add a game, given as a row of ROWS."""
        del number
        opened = _colour_of_first(turns, won_by, winner_index, last)
        place = {"first": 0, "draw": 1, "second": 2}[winner]
        is_fault = Termination(ending).is_forfeit
        used = (first_turns, first_seconds), (second_turns, second_seconds)
        for seat, (name, other) in enumerate(((first, second), (second, first))):
            own = place if seat == 0 else 2 - place
            score = WinsAndLosses(own == 0, own == 1, own == 2)
            key = name, other, opened if seat == 0 else 1 - opened
            self.results[key] = self.results.get(key, WinsAndLosses()).plus(score)
            began = (opening, 0) if opening else (begun_with or "", 1)
            if began[0] and (opening or seat == 0):
                start = name, began[1], began[0]
                self.openings[start] = self.openings.get(start, WinsAndLosses()).plus(score)
            self.endings[name, ending, int(is_fault and own == 2)] += 1
            self.hours[name, int(finished[11:13]) % HOURS] += 1
            before = self.thinking.get(name, (0, 0.0))
            self.thinking[name] = before[0] + used[seat][0], before[1] + used[seat][1]

    def write(self, connection: sqlite3.Connection) -> None:
        """Add the sums to those in an index."""
        for table, scores in (("results", self.results), ("openings", self.openings)):
            rows = ((*key, *map(int, score)) for key, score in scores.items())
            connection.executemany(SCORES.format(table), rows)
        connection.executemany(ENDING, ((*key, n) for key, n in self.endings.items()))
        connection.executemany(HOUR, ((*key, n) for key, n in self.hours.items()))
        connection.executemany(THINKING, ((key, *n) for key, n in self.thinking.items()))


class Profiles:
    """The counts of one pool. Methods may raise LedgerError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._refreshing = Lock()
        self._ledger: _CountedLedger | None = None
        self._index = _Index(0)
        self.is_complete = False
        """Whether all games have been counted at least once."""
        self._is_closing = False

    def refresh(self) -> None:
        """Count the games that have ended since. If another thread does it already, return."""
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            self._refresh()
        finally:
            self._refreshing.release()

    def _refresh(self) -> None:
        if self._is_closing:
            return
        if self._ledger is None:
            self._ledger = _CountedLedger(self.path, read_only=True)
        rulings = len(self._ledger.rulings().given)
        index = self._index
        if rulings != index.rulings:
            # A game may no longer count, or count again. The old counts show until all are
            # recounted.
            index = _Index(rulings)
        while not self._is_closing and (rows := self._ledger.rows_after(index.last)):
            try:
                index.add(rows)
            except UNREADABLE as error:
                raise damaged(self.path, str(error)) from None
            time.sleep(0)
        self._index, self.is_complete = index, not self._is_closing

    def close(self) -> None:
        """Close the ledger. A thread that is counting games stops early."""
        self._is_closing = True
        with self._refreshing:
            if self._ledger is not None:
                self._ledger.__exit__(None, None, None)
                self._ledger = None

    def of(
        self,
        names: Sequence[str],
        opponents: int,
        openings: int,
        present: Mapping[str, str] = NO_NAMES,
    ) -> Profile:
        """Return an engine's results under all names that it has had.

        At most `opponents` and `openings` are listed; the sums are over all. `present` has what
        opponents with former names are called now.
        """
        ask = self._index.ask
        sums = "sum(won), sum(drawn), sum(lost)"
        totals = dict.fromkeys((BLACK, WHITE), WinsAndLosses())
        query = f"select colour, {sums} from results where engine in ({{}}) group by colour"  # noqa: S608
        for colour, *score in ask(query, names):
            totals[colour] = WinsAndLosses(*score)
        return Profile(
            *self._met(names, opponents, present), totals[BLACK], totals[WHITE],
            self._openings(names, openings, is_own=False),
            self._openings(names, openings, is_own=True),
            self._endings(names, lost=False), self._endings(names, lost=True),
            self._hours(names), *self._thinking(names),
        )  # fmt: skip

    def _met(
        self, names: Sequence[str], most: int, present: Mapping[str, str]
    ) -> tuple[list[Met], int]:
        """Return the results against the opponents with most games, and how many there are."""
        rows = self._index.ask(MET, names, json.dumps([*present.items()]), most)
        met = [
            Met(other, WinsAndLosses(*scores[:3]), WinsAndLosses(*scores[3:]))
            for other, _, *scores in rows
        ]
        return met, rows[0][1] if rows else 0

    def _openings(self, names: Sequence[str], most: int, *, is_own: bool) -> list[Opening]:
        query = (
            "select turns, sum(won), sum(drawn), sum(lost) from openings where engine in ({}) "
            "and is_own = ? group by turns order by sum(won + drawn + lost) desc, turns limit ?"
        )
        rows = self._index.ask(query, names, int(is_own), most)
        return [Opening(turns, WinsAndLosses(*score)) for turns, *score in rows]

    def _endings(self, names: Sequence[str], *, lost: bool) -> list[tuple[Termination, int]]:
        query = (
            "select ending, sum(games) from endings where engine in ({}) and lost = ? "
            "group by ending order by 2 desc, 1"
        )
        return [(Termination(name), n) for name, n in self._index.ask(query, names, int(lost))]

    def _hours(self, names: Sequence[str]) -> list[int]:
        query = "select hour, sum(games) from hours where engine in ({}) group by hour"
        found = dict(self._index.ask(query, names))
        return [found.get(hour, 0) for hour in range(HOURS)]

    def _thinking(self, names: Sequence[str]) -> tuple[int, float]:
        query = (
            "select ifnull(sum(turns), 0), ifnull(sum(seconds), 0) from thinking "
            "where engine in ({})"
        )
        ((turns, seconds),) = self._index.ask(query, names)
        return int(turns), float(seconds)


def names_of(name: str, present: Mapping[str, str]) -> list[str]:
    """Return an engine's name and its former ones; `present` has the name of each by those."""
    return [name, *(former for former, now in present.items() if now == name != former)]


def _colour_of_first(
    turns: int, won_by: str | None, winner_index: int | None, last: str | None
) -> int:
    """Return the colour that the first player had at the end of a game."""
    holder, colour = winner_index, won_by
    if holder is None or colour is None:
        # Nobody won: who made the last turn, and with which colour?
        holder, colour = (turns - 1) % 2, last or ("black", "white")[(turns - 1) % 2]
    is_black = colour == "black"
    return BLACK if is_black == (holder == 0) else WHITE
