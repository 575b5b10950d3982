"""The process limit of an isolated engine that root runs (Linux).

The limit of the process itself, which suffices for other users, does not bind root; a control group
does. Without control groups there is no limit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.referee.orphans import Mark

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")
OF_THE_WALLS = 2
"""Processes that bubblewrap itself has in the group."""
JOIN = 'echo 0 >"$0"; exec "$@"'


def make_group(mark: Mark, processes: int) -> Path | None:
    """Return a new group of at most `processes` processes; None if unnecessary or impossible."""
    if os.geteuid() != 0:
        return None
    for parent in _parents():
        group = parent / f"oddly-{mark}"
        with suppress(OSError):
            group.mkdir()
            try:
                (group / "pids.max").write_text(str(processes + OF_THE_WALLS))
            except OSError:
                group.rmdir()
                raise
            return group
    return None


def joining(group: Path | None) -> list[str]:
    """Return the words that, before a command, make it join the group."""
    return [] if group is None else ["/bin/sh", "-c", JOIN, str(group / "cgroup.procs")]


def remove_group(group: Path | None) -> None:
    """Remove a group whose processes are gone."""
    if group is not None:
        with suppress(OSError):
            group.rmdir()


def remove_groups(run: int) -> None:
    """Remove all groups of a run whose processes are gone."""
    for parent in _parents():
        for group in parent.glob(f"oddly-{run:x}.*"):
            remove_group(group)


def _parents() -> Iterator[Path]:
    """The groups of processes that this process is in, of the first version and the second."""
    with suppress(OSError):
        for line in OWN_GROUPS.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("pids", ""):
                yield GROUPS / controllers / path.lstrip("/")
