"""The tables of a ledger, and the chain that vouches for their rows.

An entry has the SHA-256 of one row, such as a game, and a link, which is the SHA-256 of the link
before, of what the entry names and of its checksum. A row that has changed contradicts its
checksum; an entry that was changed, removed or moved contradicts its link. With a note of the last
link, anyone can check later that nothing is missing.

Entries are only ever appended. A row that changes, such as a void game that is played again, has
several entries; the last one holds.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from oddly.games import one_line
from oddly.safe_files.sqlite_file import UnusableFileError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


Kind = Literal["event", "happening", "game", "ruling", "plan", "engine", "death"]
"""The kinds of rows that the chain covers."""

ORIGIN = bytes(32)
"""The link before the first entry."""

INSERT_ENTRY = "insert into chain values (?,?,?,?,?)"
LAST_ENTRY = "select number, link from chain order by number desc limit 1"
ENTRIES = "select number, kind, id, checksum, link from chain order by number"


class Entry(NamedTuple):
    """An entry of the chain."""

    number: int
    kind: str
    id: str
    checksum: bytes
    link: bytes

    def follows(self, link: bytes) -> bool:
        """Return whether the entry was appended, unchanged, after the entry with this link."""
        return self.link == _link(link, self.kind, self.id, self.checksum)


def checksum(values: Sequence[object]) -> bytes:
    """Return the SHA-256 of a row, over each value with its kind and length."""
    digest = hashlib.sha256()
    for value in values:
        text = str(value).encode("utf-8", "surrogatepass")
        digest.update(b"%c%d:" % (ord(type(value).__name__[0]), len(text)))
        digest.update(text)
    return digest.digest()


def append(
    connection: sqlite3.Connection, kind: Kind, identity: str, values: Sequence[object]
) -> None:
    """Append the entry of a row, in the transaction that writes the row. Raises sqlite3.Error."""
    number, link = last_link(connection)
    connection.execute(INSERT_ENTRY, _next_entry(number, link, kind, identity, values))


def last_link(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number of entries and the last link, which is ORIGIN for an empty chain."""
    number, link = connection.execute(LAST_ENTRY).fetchone() or (0, ORIGIN)
    return number, link


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Yield the entries in their order."""
    for row in connection.execute(ENTRIES):
        yield Entry(*row)


def _next_entry(
    number: int, link: bytes, kind: str, identity: str, values: Sequence[object]
) -> Entry:
    """Return the entry of a row after the entry with this number and link."""
    own = checksum(values)
    return Entry(number + 1, kind, identity, own, _link(link, kind, identity, own))


def _link(before: bytes, kind: str, identity: str, own: bytes) -> bytes:
    return hashlib.sha256(before + checksum((kind, identity)) + own).digest()


APPLICATION = 0x6F64646C
"""`oddl`, in the place where SQLite files name their application."""

VERSION = 3
FIRST_VERSION = 2
"""The version of oddly 1.0.0, whose chain leaves out plans, engines and deaths. Such a ledger is
read as it is, and becomes one of version 3 when a run continues it.
"""

TABLES = """
create table event (
    facts text not null             -- a JSON object, see event_facts.py
);
create table games (
    id text primary key,            -- a hash of what the game is, see schedule.py
    first text not null,
    second text not null,
    winner text,                    -- first, second or draw; null for a void game
    termination text not null,
    finished text not null,         -- UTC, ISO 8601
    host text not null,
    record text not null            -- a JSON object, see referee/justice/record.py
);
create table happenings (
    moment text not null,           -- UTC, ISO 8601
    what text not null
);
create table scheduled (
    id text primary key,            -- of a game that began, also if it did not end
    facts text not null             -- a JSON object, see schedule.py
);
create table summaries (            -- a row for each of `games`, see summaries.py
    number integer primary key,     -- in the order in which games ended
    id text not null unique,        -- as in games
    game text not null,             -- name, size and settings, a JSON array
    round integer not null,         -- 0 if it is not known
    place integer not null,         -- the number in the schedule; 0 if it is not known
    opening text not null,          -- the turns played for both engines, with spaces between
    seed integer not null,
    first text not null,
    second text not null,
    winner text,                    -- the same; null for a void or an annulled game
    termination text not null,
    finished text not null,         -- UTC, ISO 8601
    first_program text not null,    -- the name and version that it gave
    second_program text not null,
    turns integer not null,
    digest integer not null,        -- equal for games with the same turns, see schedule.py
    lag real not null,              -- seconds by which the referee was late at worst
    first_turns integer not null,   -- its own ones, without those of the opening
    first_seconds real not null,
    first_slowest real not null,
    second_turns integer not null,
    second_seconds real not null,
    second_slowest real not null
);
create table engines (              -- see engines.py
    name text not null,
    version text not null,          -- the name and version that the program gave
    command text not null,          -- a JSON array
    options text not null,          -- a JSON object
    hash text not null,             -- SHA-256 of its files, see engines.py
    files text not null,            -- a JSON object: the SHA-256 of each
    first_seen text not null,       -- when games of it ended, UTC, ISO 8601
    last_seen text not null,
    primary key (name, version, command, options, hash)
);
create table deaths (               -- engines that died between two games
    id text not null,               -- of the game before which it was, as in games
    engine text not null,
    how text not null
);
create table rulings (
    number integer primary key,     -- 1, 2, 3, ... in their order
    moment text not null,           -- UTC, ISO 8601
    kind text not null,             -- annul, pardon, retire or restore
    subject text not null,          -- game or engine
    name text not null,             -- the id of the game, or the name of the engine
    reason text not null
);
create table chain (
    number integer primary key,     -- 1, 2, 3, ... without a gap
    kind text not null,             -- what the row is: event, game, ..., see `Kind`
    id text not null,               -- which row it is
    checksum blob not null,         -- SHA-256 of its values, see `checksum`
    link blob not null              -- SHA-256 of the link before and of this entry
);
"""

EVIDENCE: dict[Kind, tuple[str, str]] = {
    "event": ("event", "select '', facts from event"),
    "happening": ("happenings", "select cast(rowid as text), moment, what from happenings"),
    "game": ("games", "select id, * from games"),
    "ruling": (
        "rulings",
        "select cast(number as text), moment, kind, subject, name, reason from rulings",
    ),
    "plan": ("scheduled", "select id, * from scheduled"),
    "engine": ("engines", "select cast(rowid as text), * from engines"),
    "death": ("deaths", "select cast(rowid as text), * from deaths"),
}
"""The rows that the chain covers: their table, and what identifies each, then its values."""

SINCE_VERSION_3: tuple[Kind, ...] = ("plan", "engine", "death")
"""The rows that a chain of version 2 does not cover."""


def chain_rows(connection: sqlite3.Connection, kinds: Iterable[Kind] = tuple(EVIDENCE)) -> None:
    """Append an entry for every row of these kinds, which have none yet. Raises sqlite3.Error."""
    number, link = last_link(connection)
    for kind in kinds:
        for identity, *values in connection.execute(f"{EVIDENCE[kind][1]} order by rowid"):
            entry = _next_entry(number, link, kind, identity, values)
            connection.execute(INSERT_ENTRY, entry)
            number, link = entry.number, entry.link


LedgerError = UnusableFileError
"""A ledger that cannot be used. One sentence that begins with its path."""


def damaged(path: Path, what: str, *, can_be_verified: bool = True) -> LedgerError:
    """Return the error of a damaged ledger, which says how to save it."""
    verify = "'oddly verify' names all that is wrong, and " if can_be_verified else ""
    return LedgerError(
        f"{path} is damaged: {what} ({verify}'oddly salvage' saves the games that are sound)"
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a ledger: where, what, and what was expected."""

    game: str
    """The id of the game; empty if the problem is not in one game."""
    what: str
    expected: str

    def sentence(self) -> str:
        """Return the problem on one line."""
        where = f"game {one_line(self.game)}: " if self.game else ""
        expected = f"; expected: {one_line(self.expected)}" if self.expected else ""
        return f"{where}{one_line(self.what)}{expected}"

    def facts(self) -> dict[str, Any]:
        """Return its values for JSON."""
        return asdict(self)
