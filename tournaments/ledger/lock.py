"""The lock that keeps a ledger to one run at a time."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from oddly.tournaments.ledger.schema import LedgerError

if TYPE_CHECKING:
    from pathlib import Path


def lock(path: Path) -> IO[str]:
    """Hold the ledger at `path` for this run until the returned file is closed.

    The file has the number of this process, for people who want to send it a signal. It lies beside
    the database, since closing a second handle on that would end SQLite's own locks. Raises
    LedgerError if another run holds the ledger.
    """
    beside = path.with_name(f"{path.name}-lock")
    try:
        # Not emptied before it is locked: it has the number of the process that holds it.
        file = beside.open("a")
    except OSError as error:
        raise LedgerError(f"cannot write {beside}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise LedgerError(f"{path}: another run is writing to this ledger now") from None
    except OSError:
        # Some network file systems have no locks; there the ledger is used without one.
        pass
    # On a full disk the number is missing; the lock holds nevertheless.
    with suppress(OSError):
        file.truncate(0)
        print(os.getpid(), file=file, flush=True)
    return file


def unlock(file: IO[str]) -> None:
    """Release the ledger."""
    with suppress(OSError):
        file.truncate(0)
    file.close()
