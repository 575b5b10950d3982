"""Backups: copies of an arena's files as they are at one moment, made while the arena runs.

To restore one, stop the arena, replace its folder with the backup, and start the arena: it goes on
with what it finds, as after a crash.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from oddly.arena.store.schema import BEGUN, FILE
from oddly.safe_files import new_folder
from oddly.safe_files.sqlite_file import (
    UnusableFileError,
    is_sqlite_file,
    is_unopened,
    log_beside,
    reason,
)

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
    try:
        with new_folder(to) as part:
            part.chmod(0o700)
            names = _copy_databases(folder, part)
            for name in others:
                if (folder / name).is_file():
                    shutil.copy2(folder / name, part / name)
                    names.append(name)
            for name in names:
                _flush(part / name)
    except OSError as error:
        raise UnusableFileError(f"cannot write {to}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot copy {folder} to {to}: {reason(error)}") from None
    return [to / name for name in names]


def _copy_databases(folder: Path, to: Path) -> list[str]:
    """Copy the arena's file and its ledgers as they are at one moment; return their names.

    The arena writes a game into its file before it is in a ledger, and forgets it in the file
    afterwards. So its file is locked for the moment when reading of all files begins; their logs
    keep what is read while the arena goes on writing. Raises sqlite3.Error, and UnusableFileError.
    """
    names = [FILE, *sorted(path.name for path in folder.glob("*.sqlite") if is_sqlite_file(path))]
    with ExitStack() as stack:

        def reader(name: str) -> sqlite3.Connection:
            return stack.enter_context(closing(connect_to_read(folder / name)))

        is_still = _is_still(folder / FILE)
        before = [(folder / name).stat().st_mtime_ns for name in names]
        holder, readers = reader(FILE), {name: reader(name) for name in names}
        holder.execute("begin" if is_still else "begin immediate")
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
    after = [(folder / name).stat().st_mtime_ns for name in names]
    if is_still and not (before == after and _is_still(folder / FILE)):
        raise UnusableFileError(f"{folder} was written to while it was copied: try again")
    return names


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect to a file of an arena, which may be running, only to read it.

    Raises sqlite3.Error, and UnusableFileError.
    """
    # SQLite locks a file that may change, and needs a folder that can be written for that.
    mode = "immutable=1" if _is_still(path) else "mode=rw"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, timeout=PATIENCE, uri=True, isolation_level=None)
    try:
        connection.execute("pragma schema_version")
    except sqlite3.Error as error:
        connection.close()
        if is_unopened(error) and (log := log_beside(path)):
            raise UnusableFileError(
                f"{path} cannot be read where nothing can be written, because {log} beside it has "
                "a part of it: copy both into another folder"
            ) from None
        raise
    return connection


def _is_still(path: Path) -> bool:
    """Return whether nobody writes a file: its folder cannot be written, and it has no log."""
    return not (os.access(path.resolve().parent, os.W_OK) or log_beside(path))


def _forget_addresses(copy: sqlite3.Connection) -> None:
    """Delete what an arena forgets after a day or a game: a backup may be kept for years."""
    copy.execute("pragma secure_delete = on")
    if copy.execute("select 1 from sqlite_master where name = 'allowances'").fetchone():
        copy.execute("delete from allowances")
    without = "update games set plan = json_remove(plan, '$.address') where state = ?"
    copy.execute(without, (BEGUN,))
    copy.commit()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
