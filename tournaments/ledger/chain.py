"""The chain of a ledger: a checksum of each row that is evidence, and a link over all before it.

An entry has the SHA-256 of one row, such as a game, and a link, which is the SHA-256 of the link
before, of what the entry names and of its checksum. A row that has changed contradicts its
checksum; an entry that was changed, removed or moved contradicts its link. With a note of the last
link, anyone can check later that nothing is missing.

Entries are only ever appended. A void game that is played again has two; the last one holds.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    Kind = Literal["event", "game", "happening", "ruling"]

CHAIN = """
create table if not exists chain (
    number integer primary key,     -- 1, 2, 3, ... without a gap
    kind text not null,             -- which table the row is in: event, game, happening, ruling
    id text not null,               -- which row it is
    checksum blob not null,         -- SHA-256 of its values, see checksum in chain.py
    link blob not null              -- SHA-256 of the link before and of this entry
);
"""

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
        """Return whether the entry is as it was appended after the entry with this link."""
        return self.link == _link(link, self.kind, self.id, self.checksum)


def checksum(values: Sequence[object]) -> bytes:
    """Return the SHA-256 of a row, each value with its kind and length, so that none runs over."""
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
    own = checksum(values)
    entry = (number + 1, kind, identity, own, _link(link, kind, identity, own))
    connection.execute(INSERT_ENTRY, entry)


def last_link(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number of entries and the last link, which is ORIGIN for an empty chain."""
    number, link = connection.execute(LAST_ENTRY).fetchone() or (0, ORIGIN)
    return number, link


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Yield the entries in their order."""
    for row in connection.execute(ENTRIES):
        yield Entry(*row)


def _link(before: bytes, kind: str, identity: str, own: bytes) -> bytes:
    return hashlib.sha256(before + checksum((kind, identity)) + own).digest()
