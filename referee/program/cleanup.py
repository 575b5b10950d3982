"""Ending what an earlier run left behind because it was killed.

Each run that starts engines locks a file in a directory of the user's. The file is named by the
run's number, with which all its engines are marked. An unlocked file belongs to a run that was
killed, so every process with its mark is killed. The directory is `oddly` in XDG_RUNTIME_DIR, or
`oddly-UID` where temporary files are.
"""

from __future__ import annotations

import atexit
import os
import stat
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from oddly.referee.program.isolation import remove_groups
from oddly.referee.program.limits import games_that_fit
from oddly.referee.program.orphans import kill_run, our_run, reap_adopted

MAX_PASSES = 100
QUIET_PASSES = 2
NAP = 0.01


@cache
def begin_run() -> None:
    """End what killed runs left behind, and let the next run do the same for this one.

    Without a directory, as on a full disk, this does nothing.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        directory = _directory()
        end_killed_runs(directory)
        # If descriptors are scarce, a game needs them more.
        if (fitting := games_that_fit()) is None or fitting > 1:
            _keep(directory / f"{our_run():x}")


def clean_up() -> None:
    """End what killed runs left behind, and reap what became ours, as far as the machine lets us.

    The system takes a while to end a process that holds others.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        end_killed_runs(_directory())
        for _ in range(MAX_PASSES):
            if not reap_adopted():
                break
            time.sleep(NAP)


def end_killed_runs(directory: Path) -> None:
    """Kill what the runs in `directory` left behind whose referees are gone. Raises OSError."""
    for path in directory.iterdir():
        try:
            run = int(path.name, 16)
            file = path.open("rb")
        except (ValueError, OSError):
            continue
        with file:
            if not _lock(file.fileno()):
                continue
            quiet = 0
            for _ in range(MAX_PASSES):
                quiet = 0 if kill_run(run) else quiet + 1
                if quiet == QUIET_PASSES:
                    remove_groups(run)
                    path.unlink(missing_ok=True)
                    break


def _directory() -> Path:
    """Return our directory, made if there is none. Raises OSError if somebody else owns it."""
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        directory = Path(runtime) / "oddly"
    else:
        directory = Path(tempfile.gettempdir()) / f"oddly-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{directory} is not ours alone")
    return directory


def _keep(path: Path) -> None:
    """Hold a locked file at `path` until this process ends. Raises OSError."""
    fd, made = tempfile.mkstemp(prefix="new-", dir=path.parent)
    if not _lock(fd):
        return
    # It gets its name only when it is locked.
    Path(made).rename(path)
    owner = os.getpid()

    def forget() -> None:
        if os.getpid() == owner:
            path.unlink(missing_ok=True)

    atexit.register(forget)


def _lock(fd: int) -> bool:
    """Lock a file until it is closed or its owner ends; return whether nobody else holds it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
