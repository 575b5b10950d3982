"""The engines of a ledger: what ran under each name, which version it reported, and when.

An engine has a row for each version and each program. A changed program does not stop an event,
because a rebuilt engine may play the same. The change is reported, and both are kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from oddly.tournaments.fingerprint import OURS, Fingerprint
from oddly.tournaments.ledger.commands import is_interpreter
from oddly.tournaments.ledger.stored_json import json_value

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

SEEN = """
insert into engines values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (name, version, command, options, hash) do update set last_seen = excluded.last_seen
"""

ROWS = """
select name, version, command, options, hash, files, first_seen, last_seen from engines
order by name, last_seen, rowid
"""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An engine as it was started. `files` has the SHA-256 of each file, see fingerprint.py."""

    name: str
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """One hash of all its files."""
        return Fingerprint(self.files).hash

    @property
    def content(self) -> Mapping[str, str]:
        """The files that make up the engine, without the interpreter that runs them."""
        runner = self.command[:1] if OURS in self.files or is_interpreter(self.command[0]) else ()
        return {word: found for word, found in self.files.items() if word not in runner}


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """An engine with its reported version, and its first and last game in UTC, ISO 8601."""

    entrant: Entrant
    version: str
    first_seen: str
    last_seen: str

    def facts(self) -> dict[str, Any]:
        """Return its values for JSON."""
        return {
            "name": self.entrant.name,
            "version": self.version,
            "command": list(self.entrant.command),
            "options": dict(self.entrant.options),
            "hash": self.entrant.hash,
            "files": dict(self.entrant.files),
            "first_seen": self.first_seen,
            "last_seen": self.last_seen,
        }


def known_engines(connection: sqlite3.Connection) -> Iterator[KnownEngine]:
    """Yield all rows, each engine's in the order of its last games.

    Raises ValueError for a row without a command, options or files.
    """
    for name, version, command, options, _, files, first_seen, last_seen in connection.execute(
        ROWS
    ):
        match json_value(command), json_value(options), json_value(files):
            case list(words), dict(chosen), dict(hashes):
                entrant = Entrant(name, tuple(map(str, words)), chosen, hashes)
                yield KnownEngine(entrant, version, first_seen, last_seen)
            case _:
                raise ValueError(f"engine {name!r} has no command, options or files")


def see(connection: sqlite3.Connection, entrant: Entrant, version: str, now: str) -> None:
    """Record that the engine ended a game now."""
    row = (
        entrant.name,
        version,
        json.dumps(entrant.command),
        json.dumps(dict(entrant.options), sort_keys=True),
        entrant.hash,
        json.dumps(dict(entrant.files)),
        now,
        now,
    )
    connection.execute(SEEN, row)


def program_change(known: KnownEngine, now: Entrant) -> str | None:
    """Return how its program differs from the one before, in words; None if it does not."""
    before, content = known.entrant.content, now.content
    if list(before.values()) == list(content.values()):
        return None
    changed = [word for word, found in content.items() if found not in before.values()]
    here = {PurePath(word).name for word in content}
    changed += [word for word in before if PurePath(word).name not in here]
    return (
        f"the program of engine {now.name!r} has changed since {known.last_seen}: "
        f"{', '.join(changed or content)}; its games before and after count as one engine's, "
        "unless --as-new makes it a new engine"
    )


def version_change(known: KnownEngine, version: str) -> str | None:
    """Return how its version differs from the one before, in words; None if it does not."""
    if known.version == version:
        return None
    return (
        f"engine {known.entrant.name!r} reported version {known.version!r} until "
        f"{known.last_seen} and now {version!r}; its games before and after count as one engine's"
    )
