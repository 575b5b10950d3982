"""Verifies a ledger: the file, the chain, and every game by the rules.

A problem of a game may be in its row, its record or its plan.
"""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oddly.games import one_line
from oddly.referee import GameRecord, RecordError, replay
from oddly.safe_files import json_object
from oddly.safe_files.sqlite_file import is_interruption
from oddly.tournaments.ledger.ledger_file import UNREADABLE, open_to_read
from oddly.tournaments.ledger.schema import (
    EVIDENCE,
    ORIGIN,
    SINCE_VERSION_3,
    TABLES,
    VERSION,
    Kind,
    Problem,
    checksum,
    entries,
)
from oddly.tournaments.ledger.summaries import is_sound, summary
from oddly.tournaments.results.counts import winner_word
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from oddly.safe_files import BoundedConnection

    Progress = Callable[[int, int | None], None]
    """Called with the number of games checked, and of all games if known."""


MAX_FILE_PROBLEMS = 100

UNBOUNDED = 1 << 62
"""No limit of steps: a full check takes as long as it takes, and signals can stop it."""

WINNER = 9
"""The index of the winner in a row of summaries; an annulled game has none there."""

COLUMNS = ("id", "first", "second", "winner", "termination", "finished", "host", "record")
"""The columns of the table of games."""

COLUMNS_OF = 'select name, type, "notnull", pk from pragma_table_info(?) order by cid'
TABLE_NAMES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"


@dataclass(slots=True)
class Verification:
    """What is wrong with a ledger, and what was checked."""

    games: int = 0
    """The games that were found."""
    unsound: int = 0
    """The games with a problem."""
    entries: int = 0
    """The entries of the chain."""
    link: bytes = ORIGIN
    """The last link of the chain."""
    version: int = VERSION
    problems: list[Problem] = field(default_factory=list)

    @property
    def lacks(self) -> str:
        """What the chain of an older version does not vouch for, in words; empty otherwise."""
        if self.version == VERSION:
            return ""
        return (
            f"it is of version {self.version}, whose chain does not cover plans, engines and "
            "deaths; the next run adds them"
        )

    def facts(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {
            "version": self.version,
            "games": self.games,
            "unsound": self.unsound,
            "chain": {"entries": self.entries, "link": self.link.hex()},
            "problems": [problem.facts() for problem in self.problems],
        }


def verify(
    path: Path, expected_link: bytes | None = None, progress: Progress = lambda *_: None
) -> Verification:
    """Return what is wrong with the ledger at `path`.

    It is checked as of one moment, also while a run writes to it. If `expected_link` was noted
    earlier, the chain must contain it. Raises LedgerError if the file is not a ledger, or so
    damaged that it cannot be opened.
    """
    with closing(open_to_read(path, is_broken=True)) as connection:
        connection.max_steps = UNBOUNDED
        return _Verifier(connection).verified(expected_link, progress)


class _Verifier:
    """One pass through a ledger."""

    def __init__(self, connection: BoundedConnection) -> None:
        self._connection = connection
        self._found = Verification()
        self._sums: dict[tuple[str, str], bytes] = {}
        """The checksum of each row by the last entry about it."""
        self._places: dict[tuple[str, str], int] = {}
        """The number of that entry."""
        self._unsound: set[str] = set()
        self._annulled: set[str] = set()

    def verified(self, expected_link: bytes | None, progress: Progress) -> Verification:
        with self._connection.bounded():
            # So that all is of one moment: a run may be writing.
            self._connection.execute("begin")
            self._check_file()
            self._check_tables()
            self._read_chain(expected_link)
            self._check_other_rows()
            self._check_games(progress)
            self._check_missing()
        self._found.unsound = len(self._unsound)
        return self._found

    def _add(self, problem: Problem) -> None:
        self._found.problems.append(problem)
        if problem.game:
            self._unsound.add(problem.game)

    def _say(self, what: str, expected: str) -> None:
        self._add(Problem("", what, expected))

    @contextmanager
    def _damage_is_a_problem(self, where: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            # Signals raise this too.
            if is_interruption(error):
                raise
            self._say(f"{where} cannot be read: {error}", "a table of a ledger")
        except (sqlite3.Error, *UNREADABLE) as error:
            self._say(f"{where} cannot be read: {error}", "a table of a ledger")

    def _check_file(self) -> None:
        """Have SQLite check the pages and indexes of the file."""
        with self._damage_is_a_problem("the file"):
            check = f"pragma integrity_check({MAX_FILE_PROBLEMS})"
            for (verdict,) in self._connection.execute(check):
                for line in str(verdict).splitlines():
                    if line != "ok":
                        self._say(f"the file: {line.removeprefix('*** ')}", "a whole file")

    def _check_tables(self) -> None:
        """Check that all tables are there, with their columns."""
        (self._found.version,) = self._connection.execute("pragma user_version").fetchone()
        with closing(sqlite3.connect(":memory:")) as right:
            right.executescript(TABLES)
            for (table,) in right.execute(TABLE_NAMES).fetchall():
                found, wanted = (
                    each.execute(COLUMNS_OF, (table,)).fetchall()
                    for each in (self._connection, right)
                )
                if not found:
                    self._say(f"the table {table} is missing", "a table of every ledger")
                elif found != wanted:
                    self._say(f"the table {table} has other columns", "those of every ledger")

    def _read_chain(self, expected_link: bytes | None) -> None:
        """Check that every entry follows the one before."""
        found, seen = self._found, expected_link in (None, ORIGIN)
        with self._damage_is_a_problem("the chain"):
            for entry in entries(self._connection):
                found.entries += 1
                where = f"entry {entry.number} of the chain ({entry.kind} {one_line(entry.id)})"
                if entry.number != found.entries:
                    self._say(f"{where} is out of place", f"entry {found.entries}")
                    found.entries = entry.number
                if entry.follows(found.link):
                    self._sums[entry.kind, entry.id] = entry.checksum
                    self._places[entry.kind, entry.id] = entry.number
                else:
                    self._say(f"{where} does not follow the one before", "an unbroken chain")
                found.link = entry.link
                seen = seen or entry.link == expected_link
        if not seen and expected_link is not None:
            self._say("the chain lacks the link that was noted", expected_link.hex())

    def _check_other_rows(self) -> None:
        """Compare the rows that are no games with the chain."""
        for kind, (table, query) in EVIDENCE.items():
            covered = {identity for known, identity in self._sums if known == kind}
            if self._found.version < VERSION and kind in SINCE_VERSION_3:
                if covered:
                    self._say(
                        f"it is of version {self._found.version}", "a newer one, by its chain"
                    )
                continue
            if kind != "game":
                with self._damage_is_a_problem(table):
                    self._compare(kind, f"{query} order by rowid", covered)

    def _compare(self, kind: Kind, query: str, left: set[str]) -> None:
        """Compare the rows of a query with the entries about them."""
        before = 0
        for identity, *values in self._connection.execute(query):
            left.discard(identity)
            name = "the event" if kind == "event" else f"{kind} {identity}"
            known = self._sums.pop((kind, identity), None)
            if known is None:
                self._say(f"{name} is not in the chain", "an entry")
            elif known != checksum(values):
                self._say(f"{name} does not match the chain", "the row as it was written")
            before = self._check_order(kind, identity, name, before)
            if kind == "ruling":
                self._note_annulment(*values[1:4])
        for identity in sorted(left):
            self._say(f"{kind} {identity}".strip() + " is missing", "a row, by the chain")

    def _check_order(self, kind: Kind, identity: str, name: str, before: int) -> int:
        """Check that rows are in the order of their entries; return the place of this entry."""
        place = self._places.get((kind, identity), before)
        if place < before and kind in ("game", "plan"):
            self._say(f"{name} is not in its place", "the order of the chain")
        return place

    def _note_annulment(self, kind: str, subject: str, name: str) -> None:
        if subject == "game" and kind == "annul":
            self._annulled.add(name)
        elif subject == "game":
            self._annulled.discard(name)

    def _check_games(self, progress: Progress) -> None:
        """Check every game that can be read, and record each that cannot."""
        total, before = None, 0
        with self._damage_is_a_problem("the index of games"):
            (total,) = self._connection.execute("select count(*) from games").fetchone()
        for row in self._rows():
            self._found.games += 1
            before = self._check_order("game", str(row[0]), f"game {one_line(str(row[0]))}", before)
            self._check_game(row)
            progress(self._found.games, total)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of games; where a page is damaged, find them by their ids."""
        seen: set[str] = set()
        try:
            for row in self._connection.execute("select * from games order by rowid"):
                seen.add(row[0])
                yield row
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if is_interruption(error):
                raise
            for identity in self._ids():
                if identity not in seen:
                    yield from self._row_of(identity)

    def _ids(self) -> list[str]:
        """Return the ids of all games that the ledger mentions."""
        ids = dict.fromkeys(identity for kind, identity in self._sums if kind == "game")
        for table in ("summaries", "scheduled"):
            with self._damage_is_a_problem(table):
                query = f"select id from {table}"  # noqa: S608
                ids |= dict.fromkeys(str(row[0]) for row in self._connection.execute(query))
        return list(ids)

    def _row_of(self, identity: str) -> Iterator[tuple[Any, ...]]:
        try:
            query = "select * from games where id = ?"
            yield from self._connection.execute(query, (identity,)).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if is_interruption(error):
                raise
            self._add(Problem(identity, f"its row cannot be read: {error}", "a whole row"))
            self._sums.pop(("game", identity), None)

    def _check_game(self, row: tuple[Any, ...]) -> None:
        identity = str(row[0])
        known = self._sums.pop(("game", identity), None)
        problems = list(problems_of_game(row, known))
        if known is None:
            problems.append(Problem(identity, "the chain does not cover it", "an entry"))
        if not problems:
            problems += self._problems_beside(identity, row)
        for problem in problems:
            self._add(problem)

    def _problems_beside(self, identity: str, row: tuple[Any, ...]) -> Iterator[Problem]:
        """Yield how the plan and the summary contradict a sound game."""
        record, planned = GameRecord.from_json(json_object(row[-1])), None
        with self._damage_is_a_problem(f"the plan of game {identity}"):
            planned = self._planned(identity)
        for what, said, played in () if planned is None else contradictions(planned, record):
            yield Problem(identity, f"its plan has the {what} {said}", f"{played}")
        with self._damage_is_a_problem(f"the summary of game {identity}"):
            yield from self._problems_of_summary(identity, record, row, planned)

    def _planned(self, identity: str) -> ScheduledGame | None:
        query = "select facts from scheduled where id = ?"
        found = self._connection.execute(query, (identity,)).fetchone()
        return None if found is None else scheduled_from(json_object(found[0]))

    def _problems_of_summary(
        self, identity: str, record: GameRecord, row: tuple[Any, ...], planned: ScheduledGame | None
    ) -> Iterator[Problem]:
        query = "select * from summaries where id = ?"
        cursor = self._connection.execute(query, (identity,))
        names = [name for name, *_ in cursor.description]
        found, wanted = cursor.fetchone(), [None, *summary(identity, record, row[5], planned)]
        if found is None:
            if self._found.version == VERSION:
                yield Problem(identity, "its summary is missing", "one for each game")
            return
        if identity in self._annulled:
            wanted[WINNER] = None
        for name, value, right in zip(names, found, wanted, strict=True):
            unknown = planned is None and name in ("round", "place")
            unknown = unknown and self._found.version < VERSION
            if name != "number" and not unknown and not _agrees(value, right):
                yield Problem(identity, f"its summary has the {name} {value!r}", repr(right))

    def _check_missing(self) -> None:
        """Record the games that the chain has and the ledger lacks."""
        for kind, identity in self._sums:
            if kind == "game" and identity not in self._unsound:
                self._add(Problem(identity, "it is missing", "a game, by the chain"))


def _agrees(value: object, right: object) -> bool:
    """Return whether a value is right. Records have times in whole microseconds."""
    if isinstance(value, float) and isinstance(right, float | int):
        return math.isclose(value, right, rel_tol=1e-5, abs_tol=1e-4)
    return value == right


def problems_of_game(row: Sequence[Any], sum_in_chain: bytes | None) -> Iterator[Problem]:
    """Yield what is wrong with a row of `games`, whose checksum the chain may have."""
    identity, record = str(row[0]), None
    if sum_in_chain is not None and checksum(row) != sum_in_chain:
        yield Problem(
            identity,
            f"its row was changed: its SHA-256 is {checksum(row).hex()[:16]}...",
            f"{sum_in_chain.hex()[:16]}..., as the chain has it",
        )
    try:
        record = GameRecord.from_json(json_object(row[-1]))
    except (AttributeError, ValueError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"its record cannot be read: {error}", "a game record")
        return
    if not is_sound(record):
        yield Problem(identity, "its record has values that no game has", "a game record")
        return
    for column, value, in_record in zip(COLUMNS[1:5], row[1:5], _columns(record), strict=True):
        if value != in_record:
            yield Problem(identity, f"its {column} is {value!r}", f"{in_record!r}, by its record")
    try:
        replay(record)
    except RecordError as error:
        yield Problem(identity, f"by the rules, {error}", "a game that the rules allow")
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"it cannot be replayed: {error}", "a game that the rules allow")


def _columns(record: GameRecord) -> tuple[str | None, ...]:
    """Return what the columns from `first` to `termination` should hold."""
    outcome = record.outcome
    winner = None if outcome.is_void else winner_word(outcome.winner)
    return (*record.players, winner, outcome.termination.value)


def contradictions(
    planned: ScheduledGame, record: GameRecord
) -> Iterator[tuple[str, object, object]]:
    """Yield what a plan says differently from the game's record, with both values."""
    opening = tuple(turn.turn for turn in record.turns[: record.opening])
    pairs = (
        ("players", (planned.first, planned.second), record.players),
        ("game", str(planned.game), str(record.game)),
        ("opening", planned.opening, opening),
    )
    for what, said, played in pairs:
        if said != played:
            yield what, said, played
