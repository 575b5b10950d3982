"""Saves what is sound in a damaged ledger into a new one.

The rows are read from the pages directly, so damage stays local. A game is saved if it matches the
chain and the rules allow it; if its entry in the chain is damaged too, the rules alone decide.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from oddly.games.wording import counted
from oddly.referee import GameRecord
from oddly.safe_files import json_object, json_value
from oddly.safe_files.sqlite_file import HeldFileError, held
from oddly.safe_files.sqlite_pages import FoundRow, Pages
from oddly.tournaments.ledger.engines import hash_of
from oddly.tournaments.ledger.ledger_file import new_ledger, utc_now
from oddly.tournaments.ledger.recorded_event import games_of
from oddly.tournaments.ledger.rulings import Kind as RulingKind
from oddly.tournaments.ledger.schema import (
    EVIDENCE,
    ORIGIN,
    Entry,
    Kind,
    LedgerError,
    Problem,
    checksum,
)
from oddly.tournaments.ledger.store import INSERT_DEATH, INSERT_HAPPENING, deaths_in
from oddly.tournaments.ledger.verification import contradictions, problems_of_game
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.safe_files import BoundedConnection

    Progress = Callable[[int, int | None], None]

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
MAX_NAMED = 1000
"""How many missing entries are named in a row: a damaged number may suggest very many."""
DAMAGED_CHARACTERS = 2
"""Ids are hashes, so two that differ in at most this many characters are one id, damaged."""
INSERT_GAME_AT = """
insert into games (rowid, id, first, second, winner, termination, finished, host, record)
values (?,?,?,?,?,?,?,?,?)
"""
INSERT_AT: dict[Kind, str] = {
    "happening": "insert or ignore into happenings (rowid, moment, what) values (?,?,?)",
    "ruling": "insert or ignore into rulings values (?,?,?,?,?,?)",
    "plan": "insert or ignore into scheduled (rowid, id, facts) values (?,?,?)",
    "engine": """insert or ignore into engines (rowid, name, version, command, options, hash, files,
        first_seen, last_seen) values (?,?,?,?,?,?,?,?,?)""",
    "death": "insert or ignore into deaths (rowid, id, engine, how) values (?,?,?,?)",
}
"""The rows other than the event and games, in the order in which they are saved."""
NAMES: dict[Kind, str] = {"plan": "the plan of game"}
LARGEST = 1 << 63
"""The smallest whole number that is too large for SQLite."""


@dataclass(slots=True)
class Salvage:
    """What was saved from a ledger, and what was lost."""

    saved: int = 0
    """The games in the new ledger."""
    unproven: int = 0
    """The games among them without a sound checksum, which only the rules confirm."""
    has_event: bool = False
    rulings: int = 0
    lost: list[Problem] = field(default_factory=list)
    """The games and other rows that were not saved, and why."""

    def facts(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {
            "saved": self.saved,
            "unproven": self.unproven,
            "event": self.has_event,
            "rulings": self.rulings,
            "lost": [problem.facts() for problem in self.lost],
        }


def salvage(broken: Path, good: Path, progress: Progress = lambda *_: None) -> Salvage:
    """Save everything sound in the ledger at `broken` into a new one at `good`.

    The file appears at `good` when it is whole. Raises LedgerError if `broken` cannot be read or
    has nothing of a ledger, if a run is writing to it, if there is a file at `good`, or if that
    file cannot be written.
    """
    if good.exists():
        raise LedgerError(f"{good} already exists: name a new file")
    with _held(broken):
        return _saved(broken, good, progress)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the ledger, so that no run writes to it. Raises LedgerError if a run does so now."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(path))
        except HeldFileError:
            raise
        except LedgerError:
            # In a folder that cannot be written, there is no lock.
            pass
        yield


def _saved(broken: Path, good: Path, progress: Progress) -> Salvage:
    """Save everything sound. Raises LedgerError."""
    try:
        pages = Pages(broken)
    except OSError as error:
        raise LedgerError(f"cannot read {broken}: {error.strerror}") from None
    with closing(pages):
        try:
            with new_ledger(good) as connection:
                found = _Salvager(pages, connection, broken.name).saved(progress)
                if not (found.saved or found.has_event or any(each.game for each in found.lost)):
                    raise LedgerError(f"nothing of a ledger was found in {broken}")
        except sqlite3.Error as error:
            raise LedgerError(f"cannot write {good}: {error}") from None
    return found


class _Found:
    """The rows found on the pages that may belong to a ledger."""

    def __init__(self) -> None:
        self.entries: dict[int, list[Entry]] = defaultdict(list)
        self.games: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """For each id, the pages with a row for it, and the row's number on the page."""
        self.events: list[FoundRow] = []
        self.others: dict[Kind, dict[str, list[FoundRow]]] = {kind: {} for kind in INSERT_AT}
        """The other rows, old states included, by their kind, then by what identifies them."""

    def _keep(self, kind: Kind, identity: str, row: FoundRow) -> None:
        self.others[kind].setdefault(identity, []).append(row)

    def add(self, page: int, place: int, row: FoundRow) -> None:
        """Keep a row if it looks like one of a ledger."""
        match row.values:
            case [str(facts)] if facts.startswith("{"):
                self.events.append(row)
            case [str(moment), str()] if MOMENT.match(moment):
                self._keep("happening", str(row.rowid), row)
            case [str(identity), str(facts)] if facts.startswith("{"):
                self._keep("plan", identity, row)
            case [str(), str(), str()]:
                self._keep("death", str(row.rowid), row)
            case [None, str(kind), str(name), bytes(own), bytes(link)] if kind in EVIDENCE:
                self.entries[row.rowid].append(Entry(row.rowid, kind, name, own, link))
            case [None, str(moment), str(kind), str(), str(), str()]:
                if MOMENT.match(moment) and kind in get_args(RulingKind):
                    self._keep("ruling", str(row.rowid), FoundRow(row.rowid, row.values[1:]))
            case [str(), str(), str(), str() | None, str(), str(), str(), str()]:
                self._add_game_or_engine(page, place, row)

    def _add_game_or_engine(self, page: int, place: int, row: FoundRow) -> None:
        if MOMENT.match(row.values[5]):
            self.games[row.values[0]].append((page, place))
        elif MOMENT.match(row.values[-1]):
            self._keep("engine", str(row.rowid), row)


class _Salvager:
    """One pass through the pages of a file, and one through the games on them."""

    def __init__(self, pages: Pages, connection: BoundedConnection, name: str) -> None:
        self._pages = pages
        self._connection = connection
        self._name = name
        self._found = _Found()
        self._sums: dict[tuple[str, str], bytes] = {}
        """The checksum of each row, by the last entry about it."""
        self._proven: set[tuple[str, str]] = set()
        """The rows whose last entry is sound."""
        self._salvage = Salvage()

    def saved(self, progress: Progress) -> Salvage:
        for page, rows in self._pages.rows():
            for place, row in enumerate(rows):
                self._found.add(page, place, row)
        self._name_missing_pages()
        self._read_chain()
        self._save_event()
        for kind, others in self._found.others.items():
            self._save_others(kind, others)
        for done, (identity, places) in enumerate(self._found.games.items(), start=1):
            self._save_game(identity, places)
            progress(done, len(self._found.games))
        self._name_missing_games()
        what = f"salvaged from {self._name}: {counted(self._salvage.saved, 'game')}"
        self._connection.execute(INSERT_HAPPENING, (utc_now(), what))
        return self._salvage

    def _lose(self, game: str, what: str, expected: str) -> None:
        self._salvage.lost.append(Problem(game, what, expected))

    def _name_missing_pages(self) -> None:
        """Record pages that cannot be read: nothing else may tell of the rows on the last ones."""
        if missing := self._pages.missing:
            verb = "is" if missing == 1 else "are"
            what = f"{missing} of {self._pages.expected} pages {verb} missing or cut off"
            self._lose("", what, "a whole file")
        if damaged := self._pages.damaged:
            verb = "is" if damaged == 1 else "are"
            what = f"{counted(damaged, 'page')} of the log {verb} damaged"
            self._lose("", what, "pages with the mark of the log")
        if unfinished := self._pages.unfinished:
            verb = "lacks" if unfinished == 1 else "lack"
            what = f"{counted(unfinished, 'page')} of the log {verb} the end of a transaction"
            self._lose("", what, "the last page of the transaction")

    def _read_chain(self) -> None:
        """Remember the last entry about each row, and whether it is sound."""
        if not self._found.entries:
            self._lose("", "the chain is lost", "an entry about each row")
        link: bytes | None = ORIGIN
        last = 0
        for number, candidates in sorted(self._found.entries.items()):
            before = link if number == last + 1 else None
            for missing in range(last + 1, number)[:MAX_NAMED]:
                what = f"entry {missing} of the chain is lost"
                self._lose("", what, "an entry, about a game or another row")
            sound = [entry for entry in candidates if before and entry.follows(before)]
            entry = (sound or candidates)[-1]
            key = entry.kind, entry.id
            self._sums[key] = entry.checksum
            (self._proven.add if sound else self._proven.discard)(key)
            link, last = entry.link, number

    def _is_right(self, kind: str, identity: str, values: tuple[Any, ...]) -> bool:
        """Return whether a row is as the last entry about it says."""
        return self._sums.get((kind, identity)) == checksum(values)

    def _save_event(self) -> None:
        """Save the facts of the event: those in the chain, or else the most complete ones."""
        ranked = sorted(
            (self._is_right("event", "", row.values), row.rowid, row.values[0])
            for row in self._found.events
            if _is_event(row.values[0])
        )
        if not ranked:
            self._lose("", "the event is lost", "its facts, which a run with this ledger writes")
            return
        is_right, _, facts = ranked[-1]
        self._salvage.has_event = True
        self._connection.execute("insert into event values (?)", (facts,))
        if not is_right and self._sums:
            self._lose("", "the event does not match the chain", "its last facts")

    def _save_others(self, kind: Kind, rows: Mapping[str, Sequence[FoundRow]]) -> None:
        """Save the rows that the chain confirms, and plausible ones about which it says nothing."""
        left = {identity for known, identity in self._proven if known == kind}
        for identity, found in rows.items():
            right = [row for row in found if self._is_right(kind, identity, row.values)]
            if not right and (kind, identity) in self._proven:
                continue
            # If a row has changed, its last state has the last moment.
            row = (right or sorted(found, key=lambda row: row.values[-1]))[-1]
            if not right and not self._is_plausible(kind, row):
                continue
            if self._connection.execute(INSERT_AT[kind], (row.rowid, *row.values)).rowcount:
                left.discard(identity)
                self._salvage.rulings += kind == "ruling"
        for identity in sorted(left, key=lambda name: (len(name), name)):
            self._lose("", f"{NAMES.get(kind, kind)} {identity} is lost", "a row, by the chain")

    def _is_plausible(self, kind: Kind, row: FoundRow) -> bool:
        """Return whether to save a row about which the chain says nothing."""
        with suppress(AttributeError, KeyError, OverflowError, TypeError, ValueError):
            match kind:
                case "ruling":
                    return not self._sums  # An arbiter may have taken it back.
                case "happening":
                    return True
                case "plan":
                    return _is_plan(row)
                case "engine":
                    return _is_engine(row)
        # Deaths are in the records of games too.
        return False

    def _save_game(self, identity: str, places: list[tuple[int, int]]) -> None:
        """Save the row of a game that matches the chain, or else one that has a result."""
        rows = list(self._rows_of(identity, places))
        if not rows:
            self._lose(identity, "its row was overwritten while it was read", "a file at rest")
            return
        right = [row for row in rows if self._is_right("game", identity, row.values)]
        if not right and ("game", identity) in self._proven:
            self._lose(identity, "its row was changed", "the row that the chain has")
            return
        is_unknown = ("game", identity) not in self._sums
        if is_unknown and any(_is_damaged(identity, missing) for missing in self._missing):
            self._lose(identity, "its id was changed", "an id that the chain has")
            return
        # If a void game was played again, both may have a row.
        row = (right or sorted(rows, key=lambda row: (row.values[3] is not None, row.rowid)))[-1]
        if problems := list(problems_of_game(row.values, None)):
            self._salvage.lost.append(problems[0])
            return
        try:
            self._connection.execute(INSERT_GAME_AT, (row.rowid, *row.values))
        except sqlite3.IntegrityError:
            self._connection.execute(INSERT_GAME_AT, (None, *row.values))
        self._salvage.saved += 1
        self._salvage.unproven += not right
        record = GameRecord.from_json(json_object(row.values[-1]))
        self._forget_wrong_plan(identity, record)
        for death in deaths_in(identity, record):
            query = "select 1 from deaths where (id, engine, how) = (?, ?, ?)"
            if not self._connection.execute(query, death).fetchone():
                self._connection.execute(INSERT_DEATH, death)

    def _rows_of(self, identity: str, places: Sequence[tuple[int, int]]) -> Iterator[FoundRow]:
        """Yield the rows of a game, read again, that are still what they were."""
        for page, place in places:
            for row in islice(self._pages.rows_of(page), place, place + 1):
                again = _Found()
                again.add(page, place, row)
                if identity in again.games:
                    yield row

    def _forget_wrong_plan(self, identity: str, record: GameRecord) -> None:
        query = "select facts from scheduled where id = ?"
        for (facts,) in self._connection.execute(query, (identity,)).fetchall():
            if any(contradictions(scheduled_from(json_object(facts)), record)):
                self._connection.execute("delete from scheduled where id = ?", (identity,))

    @cached_property
    def _missing(self) -> list[str]:
        """The games that have a sound entry in the chain, but no row on any page."""
        return [
            identity
            for kind, identity in self._proven
            if kind == "game" and identity not in self._found.games
        ]

    def _name_missing_games(self) -> None:
        """Record the games in the chain that have no row left."""
        for kind, identity in self._sums:
            if kind != "game" or identity in self._found.games:
                continue
            is_proven = (kind, identity) in self._proven
            if is_proven or not any(_is_damaged(identity, game) for game in self._found.games):
                self._lose(identity, "its row is lost", "a game, by the chain")


def _is_plan(row: FoundRow) -> bool:
    """Return whether a row is a game as planned. Raises an error for anything unlike one."""
    identity, facts = row.values
    planned: ScheduledGame = scheduled_from(json_object(facts))
    numbers = (planned.number, planned.round, planned.seed)
    texts = (planned.id, planned.first, planned.second, *planned.opening)
    return (
        planned.id == identity
        and all(type(number) is int and 0 <= number < LARGEST for number in numbers)
        and all(isinstance(text, str) for text in texts)
    )


def _is_engine(row: FoundRow) -> bool:
    """Return whether a row is an engine that ran. Raises ValueError for anything unlike one."""
    _, _, command, options, hash_, files, _, _ = row.values
    json_object(options)
    return isinstance(json_value(command), list) and hash_of(json_object(files)) == hash_


def _is_damaged(identity: str, other: str) -> bool:
    """Return whether an id is probably another one with one or two damaged characters."""
    if len(identity) != len(other):
        return False
    return sum(a != b for a, b in zip(identity, other, strict=True)) <= DAMAGED_CHARACTERS


def _is_event(text: str) -> bool:
    """Return whether the text has all that the tables of an event need."""
    try:
        facts: Mapping[str, Any] = json_object(text)
        games_of(dict(facts))
    except (LedgerError, ValueError):
        return False
    kinds = {"name": str, "format": str, "engines": dict, "games": list}
    return all(isinstance(facts.get(key), kind) for key, kind in kinds.items())
