"""Isolates an engine in its own namespaces, by bubblewrap, and limits its processes.

An isolated engine sees only its own processes, so it can neither signal nor trace another, nor
write into its pipes. It reads the file system, and writes only to its own directory, which is in
memory and goes with it. It has no network unless that is granted. All its processes end with it.

The limit of the process itself, which suffices for other users, does not bind root; a control group
does. Without control groups there is no limit.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.referee.program.configuration import Isolation, Resources
from oddly.referee.program.orphans import Mark, adopt_orphans, end_session

if TYPE_CHECKING:
    from collections.abc import Iterator


OWN_DIRECTORY = "/dev/shm"  # noqa: S108 - the sandbox's own
"""Where an isolated engine may write; TMPDIR says so."""
OWN_DIRECTORY_SIZE = 1 << 30
MAX_SOCKETS = 500
PATIENCE = 10.0
SOCKETS = Path("/proc/net/unix")
WALLS = (
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
)
FILES = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
OWN_FILES = ("--size", str(OWN_DIRECTORY_SIZE), "--tmpfs", OWN_DIRECTORY)


class IsolationError(Exception):
    """An isolation was asked for that this machine cannot give. The message is one sentence."""


def is_isolated(resources: Resources) -> bool:
    """Return whether an engine with these resources runs isolated here.

    Raises IsolationError if it must be and cannot.
    """
    if resources.isolation in (Isolation.NONE, None):
        return False
    lack = why_not()
    if lack is not None and resources.isolation is Isolation.BUBBLEWRAP:
        raise IsolationError(f"engines cannot be isolated here: {lack}")
    return lack is None


@cache
def why_not() -> str | None:
    """Return why bubblewrap does not work on this machine; None if it does."""
    if sys.platform != "linux":
        return "bubblewrap runs only on Linux"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (bwrap) is not installed"
    trial = [program, *WALLS, "--unshare-net", *FILES, *OWN_FILES, "--", "/proc/self/exe"]
    # It runs itself with nothing to do, because no other program is sure to exist.
    trial.append("--version")
    # An ancestor of ours would adopt its inner process otherwise, and not reap it.
    adopt_orphans()
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(
            trial, stdout=subprocess.DEVNULL, stderr=pipe, start_new_session=True
        ) as tried:
            try:
                said = tried.communicate(timeout=PATIENCE)[1].decode(errors="replace")
            except subprocess.TimeoutExpired:
                tried.kill()
                return f"bubblewrap did not answer within {PATIENCE:g} s"
    except OSError as error:
        return f"bubblewrap did not start: {error.strerror}"
    end_session(tried.pid)
    if tried.returncode == 0:
        return None
    return (said.strip().splitlines() or [f"bubblewrap exited with code {tried.returncode}"])[-1]


def walls(resources: Resources) -> list[str]:
    """Return the words that, before a command, isolate it."""
    program = shutil.which("bwrap") or "bwrap"
    words = [program, *WALLS, *FILES, *OWN_FILES]
    if not resources.network:
        words.append("--unshare-net")
    for path in islice(_sockets(), MAX_SOCKETS):
        # A socket can be written to even on a read-only file system.
        words += ["--ro-bind", "/dev/null", path]
    if resources.directory is not None:
        place = str(Path(resources.directory).absolute())
        words += ["--bind", place, place]
    return [*words, "--"]


_REFUSED = re.compile(
    rb"network is unreachable|no route to host|connection ?refused|E(NETUNREACH|CONNREFUSED)"
    rb"|name resolution|name or service not known|could not resolve|E(AI_AGAIN|NOTFOUND)"
    rb"|nodename nor servname|no such host|failed to lookup address|unknown ?host",
    re.IGNORECASE,
)
"""What programs in common languages say when they find no network."""


_READ_ONLY = re.compile(rb"read-only file ?system|EROFS|errno 30\b", re.IGNORECASE)
"""What programs in common languages say when they may not write."""


def isolation_hint(resources: Resources, stderr: bytes) -> str:
    """Return what isolation kept an engine from, as its standard error shows; empty if nothing."""
    if not resources.network and _REFUSED.search(stderr):
        hint = "has no network unless its [[engine]] says network = true"
    elif _READ_ONLY.search(stderr):
        hint = "may write only where TMPDIR says, or in the directory of its [[engine]]"
    else:
        return ""
    with suppress(IsolationError):
        if is_isolated(resources):
            return f"; it is isolated and {hint}"
    return ""


def has_died_inside(outer: int) -> bool:
    """Return whether the engine behind the walls `outer` is dead although they stand.

    The walls stand while one of the engine's own processes traces it, which hides its end from
    them.
    """
    try:
        inner = _children(outer)[0]
        # Adopted processes come after it.
        engine = _children(inner)[0]
        state = Path(f"/proc/{engine}/stat").read_text(errors="replace").rpartition(")")[2]
    except (OSError, IndexError):
        return False
    return state.split()[0] == "Z"


def _children(pid: int) -> list[int]:
    """Return the ids of a process's children. Raises OSError if it is gone."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _sockets() -> Iterator[str]:
    """Yield the sockets in the file system through which other programs can be reached."""
    try:
        lines = SOCKETS.read_text(errors="replace").splitlines()[1:]
    except OSError:
        return
    for path in sorted({"/" + line.partition("/")[2] for line in lines if "/" in line}):
        with suppress(OSError):
            if stat.S_ISSOCK(Path(path).stat().st_mode):
                yield path


GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")
OF_THE_WALLS = 2
"""Processes that bubblewrap itself has in the group."""
JOIN = 'echo 0 >"$0"; exec "$@"'


def make_group(mark: Mark, processes: int) -> Path | None:
    """Return a new group of at most `processes` processes; None if unnecessary or impossible."""
    if os.geteuid() != 0:
        return None
    for parent in _parent_groups():
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
    for parent in _parent_groups():
        for group in parent.glob(f"oddly-{run:x}.*"):
            remove_group(group)


def _parent_groups() -> Iterator[Path]:
    """Yield the control groups that this process is in, of version 1 and version 2."""
    with suppress(OSError):
        for line in OWN_GROUPS.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("pids", ""):
                yield GROUPS / controllers / path.lstrip("/")
