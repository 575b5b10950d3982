"""The engines of a ledger: what ran under each name, with its version and command.

The hash covers a command's program, and each argument or value of an option that names a file: the
script of an interpreter, a net of weights, a book, also as in `--net=FILE`. For a compiled engine,
which is one file, it is the output of `sha256sum`. `python -m` names no file, so only the version
that the engine reports identifies it. For our own engines the hash covers the sources of this
oddly.

An engine has a row for each version and each program. A changed program does not stop an event,
because a rebuilt engine may play the same; the change is reported, and both rows are kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oddly.safe_files import json_value
from oddly.tournaments.ledger.schema import append

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence


OURS = "the sources of oddly"
PACKAGES = ("oddly.games", "oddly.protocol", "oddly.engines")
"""The packages with the source files of our engines."""


def hash_of(files: Mapping[str, str]) -> str:
    """Return the hash of the only file, or one over the hashes of several; empty without a file."""
    hashes = list(files.values())
    if len(hashes) < 2:
        return "".join(hashes)
    return hashlib.sha256("".join(f"{line}\n" for line in hashes).encode()).hexdigest()


def fingerprint(
    command: Sequence[str],
    directory: str | Path | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the SHA-256 of each readable file of a command as it is run in `directory`, or here.

    They are in hexadecimal, in the order of the command.
    """
    files = {}
    words = [word.partition("=")[2] if word.startswith("-") else word for word in command]
    for word in filter(None, (*words, *options.values())):
        path = Path(directory or ".") / word
        try:
            # A pipe or a device may have no end.
            if path.is_file():
                with path.open("rb") as file:
                    files[word] = hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):
            continue
    if runs_ours(command):
        files[OURS] = own_hash()
    return files


def runs_ours(command: Sequence[str]) -> bool:
    """Return whether the command runs an engine of this oddly."""
    here = Path(sys.executable)
    match command:
        case [program, "engine", *_]:
            return Path(program) == here.parent / "oddly"
        case [program, "-m", "oddly", "engine", *_] | [
            program, "-P", "-m", "oddly", "engine", *_
        ]:  # fmt: skip
            return Path(program) == here
        case _:
            return False


@cache
def own_hash() -> str:
    """Return the hash over all source files of our engines."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for package in PACKAGES:
        if (spec := find_spec(package)) is not None and spec.origin is not None:
            yield from sorted(Path(spec.origin).parent.rglob("*.py"))


INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|java|ruby|perl|php|lua|luajit|julia|Rscript|guile|racket|"
    r"sbcl|bash|dash|zsh|sh|env)[-0-9.]*"
)


def is_interpreter(program: str) -> bool:
    """Return whether a program only runs an engine, which is another file."""
    return INTERPRETER.fullmatch(PurePath(program).name) is not None


def same_command(old: list[str], new: list[str]) -> bool:
    """Return whether two commands differ only in the paths of files."""
    one, other = _without_launcher(old), _without_launcher(new)
    return len(one) == len(other) and all(
        before == now or place == 0 or _are_paths(before, now)
        for place, (before, now) in enumerate(zip(one, other, strict=True))
    )


def same_options(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Return whether the options of an engine differ only in the paths of files.

    The contents of files are compared by their hashes, see engines.py.
    """
    return old.keys() == new.keys() and all(
        before == new[name] or (_is_absolute(before, new[name]) and _are_paths(before, new[name]))
        for name, before in old.items()
    )


def _is_absolute(*words: str) -> bool:
    """Return whether one of the words is a path from the root: `1/2` may be a number."""
    return any(PurePath(word).is_absolute() for word in words)


def _without_launcher(words: list[str]) -> list[str]:
    """Return the words of a command; if it runs oddly, its launcher is reduced to one word."""
    for launcher in (["-m", "oddly"], ["-P", "-m", "oddly"]):
        if words[1 : 1 + len(launcher)] == launcher:
            return ["oddly", *words[1 + len(launcher) :]]
    if words and PurePath(words[0]).name == "oddly":
        return ["oddly", *words[1:]]
    return words


def _are_paths(before: str, now: str) -> bool:
    """Return whether both words name a file, or may have named one on another machine."""
    if before.startswith("-"):
        (option, _, before), (same, _, now) = before.partition("="), now.partition("=")
        if option != same:
            return False
    if PurePath(before).name == PurePath(now).name:
        return "/" in before or "/" in now
    try:
        is_file = Path(now).is_file()
    except (OSError, ValueError):
        is_file = False
    return is_file and "/" in before


SEEN = """
insert into engines values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (name, version, command, options, hash) do update set last_seen = excluded.last_seen
where last_seen <> excluded.last_seen
"""

SEEN_ROW = """
select cast(rowid as text), * from engines
where (name, version, command, options, hash) = (?, ?, ?, ?, ?)
"""

ROWS = """
select name, version, command, options, hash, files, first_seen, last_seen from engines
order by name, last_seen, rowid
"""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An engine as it was started. `files` has the SHA-256 of each file."""

    name: str
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """One hash of all its files."""
        return hash_of(self.files)

    @property
    def content(self) -> Mapping[str, str]:
        """The files that make up the engine, without the interpreter that runs them."""
        runner = self.command[:1] if OURS in self.files or is_interpreter(self.command[0]) else ()
        return {word: found for word, found in self.files.items() if word not in runner}


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """An engine, its reported version, and when its first and last games ended in UTC, ISO 8601."""

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


def see(
    connection: sqlite3.Connection,
    entrant: Entrant,
    version: str,
    now: str,
    known: KnownEngine | None,
) -> KnownEngine:
    """Record that the engine ended a game now, in a transaction. Raises sqlite3.Error.

    `known` is its row until now. The row that is returned is the last, even if the clock was set
    back.
    """
    latest = now if known is None else max(now, known.last_seen)
    row = (
        entrant.name,
        version,
        json.dumps(entrant.command),
        json.dumps(dict(entrant.options), sort_keys=True),
        entrant.hash,
        json.dumps(dict(entrant.files)),
        now,
        latest,
    )
    if connection.execute(SEEN, row).rowcount:
        identity, *values = connection.execute(SEEN_ROW, row[:5]).fetchone()
        append(connection, "engine", identity, values)
    return KnownEngine(entrant, version, now, latest)


def program_change(known: KnownEngine, now: Entrant) -> str | None:
    """Return in words how an engine's program has changed; None if it has not."""
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
    """Return in words how an engine's version has changed; None if it has not."""
    if known.version == version:
        return None
    return (
        f"engine {known.entrant.name!r} reported version {known.version!r} until "
        f"{known.last_seen} and now {version!r}; its games before and after count as one engine's"
    )
