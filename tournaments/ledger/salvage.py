"""Saving what is sound from a damaged ledger into a new one.

The rows are read from the pages directly, so damage stays local. A game is saved if it matches the
chain and the rules allow it; if its entry in the chain is damaged too, the rules alone decide.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from oddly.referee import GameRecord
from oddly.safe_files import json_object, json_value
from oddly.safe_files.sqlite_pages import Pages
from oddly.tournaments.ledger.engines import Fingerprint
from oddly.tournaments.ledger.ledger_file import open_to_write, utc_now
from oddly.tournaments.ledger.rulings import Kind
from oddly.tournaments.ledger.schema import ORIGIN, Entry, LedgerError, chain_all_rows, checksum
from oddly.tournaments.ledger.store import INSERT_DEATH, INSERT_HAPPENING, Ledger
from oddly.tournaments.ledger.verification import Problem, problems_of_game
from oddly.tournaments.results.schedule import scheduled_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oddly.safe_files import BoundedConnection
    from oddly.safe_files.sqlite_pages import FoundRow

    Progress = Callable[[int, int | None], None]

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
CHAINED = ("event", "game", "happening", "ruling")
MAX_NAMED = 1000
"""Entries of the chain that are missing in a row: a damaged number may pretend that many are."""

DAMAGED_CHARACTERS = 2
"""Ids that differ in no more than these are the same one, damaged: ids are hashes."""

INSERT_GAME_AT = """
insert into games (rowid, id, first, second, winner, termination, finished, host, record)
values (?,?,?,?,?,?,?,?,?)
"""


@dataclass(slots=True)
class Salvage:
    """What was saved from a ledger, and what was lost."""

    saved: int = 0
    """The games in the new ledger."""
    unproven: int = 0
    """Those of them without a sound checksum, for which only the rules speak."""
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

    Raises LedgerError if `broken` cannot be read or has nothing of a ledger, or if there is a file
    at `good`.
    """
    if good.exists():
        raise LedgerError(f"{good} already exists: name a new file")
    try:
        pages = Pages(broken)
    except OSError as error:
        raise LedgerError(f"cannot read {broken}: {error.strerror}") from None
    try:
        with closing(pages), closing(open_to_write(good)) as connection:
            found = _Salvager(pages, connection, broken.name).saved(progress)
        if not (found.saved or found.has_event or any(each.game for each in found.lost)):
            raise LedgerError(f"nothing of a ledger was found in {broken}")  # noqa: TRY301
        with Ledger(good) as ledger:
            # Has the summaries written.
            ledger.counts()
    except BaseException as error:
        good.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise LedgerError(f"cannot write {good}: {error}") from None
        raise
    return found


class _Found:
    """The rows found on the pages that may belong to a ledger."""

    def __init__(self) -> None:
        self.entries: dict[int, list[Entry]] = defaultdict(list)
        self.games: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """For each id the pages with a row, and the number of the row among those on the page."""
        self.events: list[FoundRow] = []
        self.happenings: list[FoundRow] = []
        self.rulings: list[FoundRow] = []
        self.engines: list[FoundRow] = []
        self.plans: list[FoundRow] = []

    def add(self, page: int, place: int, row: FoundRow) -> None:
        """Keep a row if it looks like one of a ledger."""
        match row.values:
            case [str(facts)] if facts.startswith("{"):
                self.events.append(row)
            case [str(moment), str()] if MOMENT.match(moment):
                self.happenings.append(row)
            case [str(), str(facts)] if facts.startswith("{"):
                self.plans.append(row)
            case [None, str(kind), str(name), bytes(own), bytes(link)] if kind in CHAINED:
                self.entries[row.rowid].append(Entry(row.rowid, kind, name, own, link))
            case [None, str(moment), str(kind), str(), str(), str()] if MOMENT.match(moment):
                if kind in get_args(Kind):
                    self.rulings.append(row)
            case [str(name), str(), str(), str() | None, str(), str(moment), str(), str()]:
                if MOMENT.match(moment):
                    self.games[name].append((page, place))
                elif MOMENT.match(row.values[-1]):
                    self.engines.append(row)


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
        """The rows of which that entry is sound."""
        self._salvage = Salvage()

    def saved(self, progress: Progress) -> Salvage:
        for page, rows in self._pages.rows():
            for place, row in enumerate(rows):
                self._found.add(page, place, row)
        self._read_chain()
        with self._connection as connection:
            connection.execute("begin immediate")
            self._save_event()
            self._save_numbered("happening", self._found.happenings)
            self._save_numbered("ruling", self._found.rulings)
            self._save_plans()
            self._save_engines()
            for done, (identity, places) in enumerate(self._found.games.items(), start=1):
                self._save_game(identity, places)
                progress(done, len(self._found.games))
            self._name_missing_games()
            found = self._salvage
            what = f"salvaged from {self._name}: {found.saved} games"
            connection.execute(INSERT_HAPPENING, (utc_now(), what))
            chain_all_rows(connection)
        return self._salvage

    def _lose(self, game: str, what: str, expected: str) -> None:
        self._salvage.lost.append(Problem(game, what, expected))

    def _read_chain(self) -> None:
        """Remember the last entry about each row, and whether it is sound."""
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

    def _is_right(self, kind: str, identity: str, values: tuple[Any, ...]) -> bool | None:
        """Return whether a row is as it was written; None if that is unknown."""
        key = kind, identity
        if self._sums.get(key) == checksum(values):
            return True
        return False if key in self._proven else None

    def _save_event(self) -> None:
        """Save the facts of the event: those in the chain, or else the most complete ones."""
        ranked = sorted(
            (bool(self._is_right("event", "", row.values)), row.rowid, row.values[0])
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

    def _save_numbered(self, kind: str, rows: list[FoundRow]) -> None:
        """Save the unchanged happenings or rulings, in their order."""
        left = {identity for known, identity in self._proven if known == kind}
        for row in sorted(rows, key=lambda row: row.rowid):
            identity = str(row.rowid)
            values = row.values[1:] if kind == "ruling" else row.values
            is_right = self._is_right(kind, identity, values)
            if is_right is False or (kind == "ruling" and not is_right and self._sums):
                continue
            left.discard(identity)
            if kind == "ruling":
                query = "insert or ignore into rulings values (?,?,?,?,?,?)"
                self._salvage.rulings += self._connection.execute(
                    query, (row.rowid, *values)
                ).rowcount
            else:
                query = "insert or ignore into happenings (rowid, moment, what) values (?,?,?)"
                self._connection.execute(query, (row.rowid, *values))
        for identity in sorted(left, key=int):
            self._lose("", f"{kind} {identity} is lost", "a row, by the chain")

    def _save_plans(self) -> None:
        for row in sorted(self._found.plans, key=lambda row: row.rowid):
            try:
                is_sound = scheduled_from(json_object(row.values[1])).id == row.values[0]
            except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
                continue
            if is_sound:
                query = "insert or ignore into scheduled values (?, ?)"
                self._connection.execute(query, row.values)

    def _save_engines(self) -> None:
        for row in sorted(self._found.engines, key=lambda row: str(row.values[-1])):
            _, _, command, options, hash_, files, _, _ = row.values
            try:
                hashes = json_object(files)
                json_object(options)
                is_sound = isinstance(json_value(command), list) and (
                    Fingerprint(hashes).hash == hash_
                )
            except (TypeError, ValueError):
                continue
            if is_sound:
                query = "insert or replace into engines values (?,?,?,?,?,?,?,?)"
                self._connection.execute(query, row.values)

    def _save_game(self, identity: str, places: list[tuple[int, int]]) -> None:
        """Save the row of a game that matches the chain, or else one that has a result."""
        rows = [self._pages.rows_of(page)[place] for page, place in places]
        known = self._sums.get(("game", identity))
        right = [row for row in rows if known is not None and checksum(row.values) == known]
        if not right and ("game", identity) in self._proven:
            self._lose(identity, "its row was changed", "the row that the chain has")
            return
        if known is None and any(_is_damaged(identity, missing) for missing in self._missing):
            self._lose(identity, "its id was changed", "an id that the chain has")
            return
        # Of a void game that was played again, there may be a row of both.
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
        for name, how in zip(record.players, record.deaths, strict=True):
            if how:
                self._connection.execute(INSERT_DEATH, (identity, name, how))

    def _forget_wrong_plan(self, identity: str, record: GameRecord) -> None:
        query = "select facts from scheduled where id = ?"
        for (facts,) in self._connection.execute(query, (identity,)).fetchall():
            planned = scheduled_from(json_object(facts))
            if (planned.first, planned.second) != record.players or planned.game != record.game:
                self._connection.execute("delete from scheduled where id = ?", (identity,))

    @cached_property
    def _missing(self) -> list[str]:
        """Return the games of which the chain has a sound entry, but no page a row."""
        return [
            identity
            for kind, identity in self._proven
            if kind == "game" and identity not in self._found.games
        ]

    def _name_missing_games(self) -> None:
        """Name the games in the chain that have no row left."""
        for kind, identity in self._sums:
            if kind != "game" or identity in self._found.games:
                continue
            is_proven = (kind, identity) in self._proven
            if is_proven or not any(_is_damaged(identity, game) for game in self._found.games):
                self._lose(identity, "its row is lost", "a game, by the chain")


def _is_damaged(identity: str, other: str) -> bool:
    """Return whether an id is probably another one with one or two damaged characters."""
    if len(identity) != len(other):
        return False
    return sum(a != b for a, b in zip(identity, other, strict=True)) <= DAMAGED_CHARACTERS


def _is_event(text: str) -> bool:
    try:
        facts: Mapping[str, Any] = json_object(text)
    except ValueError:
        return False
    return isinstance(facts.get("name"), str) and isinstance(facts.get("engines"), dict)
