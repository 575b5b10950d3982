"""A copy of everything an arena remembers, made while it runs: all files as of one moment."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from oddly.arena.store.store import FILE
from oddly.safe_files.sqlite_file import UnusableFileError, is_sqlite_file, reason

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PATIENCE = 10.0
"""Seconds to wait while the arena writes a batch."""


def back_up(folder: Path, to: Path, others: Iterable[str] = ()) -> list[Path]:
    """Copy an arena's file, its ledgers and `others` into a new folder; return the copies.

    The copy is a complete folder of an arena, and appears as a whole or not at all. Raises
    UnusableFileError.
    """
    if not is_sqlite_file(folder / FILE):
        raise UnusableFileError(f"{folder} has no arena: there is no file {FILE} in it")
    if os.path.lexists(to):
        raise UnusableFileError(f"{to} is there already: a backup makes a new folder")
    part = to.with_name(f".{to.name}.{os.getpid()}.part")
    try:
        part.mkdir(mode=0o700, parents=True)
        try:
            names = _copy_databases(folder, part)
            for name in others:
                if (folder / name).is_file():
                    shutil.copy2(folder / name, part / name)
                    names.append(name)
            for name in names:
                _flush(part / name)
            part.rename(to)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise UnusableFileError(f"cannot write {to}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot copy {folder} to {to}: {reason(error)}") from None
    return [to / name for name in names]


def _copy_databases(folder: Path, to: Path) -> list[str]:
    """Copy the arena's file and its ledgers as they are at one moment. Raises sqlite3.Error.

    The arena writes a game into its file before it is in a ledger, and forgets it in the file
    afterwards. So its file is locked for the moment in which reading of all files begins; their
    logs keep what is read while the arena writes on.
    """
    names = [FILE, *sorted(path.name for path in folder.glob("*.sqlite") if is_sqlite_file(path))]
    with ExitStack() as stack:

        def reader(name: str) -> sqlite3.Connection:
            uri = f"{(folder / name).absolute().as_uri()}?mode=rw"
            connection = sqlite3.connect(uri, timeout=PATIENCE, uri=True, isolation_level=None)
            return stack.enter_context(closing(connection))

        holder, readers = reader(FILE), {name: reader(name) for name in names}
        holder.execute("begin immediate")
        for connection in readers.values():
            connection.execute("begin")
            connection.execute("select count(*) from sqlite_master").fetchone()
        holder.execute("rollback")
        for name, connection in readers.items():
            (to / name).touch(mode=0o600)
            with closing(sqlite3.connect(to / name)) as copy:
                connection.backup(copy)
                if name == FILE:
                    _forget_addresses(copy)
    return names


def _forget_addresses(copy: sqlite3.Connection) -> None:
    """Leave out what an arena forgets after a day: a backup may be kept for years."""
    copy.execute("pragma secure_delete = on")
    if copy.execute("select 1 from sqlite_master where name = 'allowances'").fetchone():
        copy.execute("delete from allowances")
        copy.commit()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
