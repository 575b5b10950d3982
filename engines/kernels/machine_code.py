"""Which games have machine code, and where it is kept: in a folder for each version of the sources.

A kernel plays one class of game by its own machine code, so a class derived from ours, whose rules
may differ, has none. What has no kernel is played, searched and solved by its plain rules.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import Ayu, Game, Odd, Xodd, Yodd

if TYPE_CHECKING:
    from collections.abc import Iterator


KERNEL_MODULES: dict[type[Game], str] = {
    Yodd: "oddly.engines.kernels.group_kernel",
    Xodd: "oddly.engines.kernels.group_kernel",
    Odd: "oddly.engines.kernels.odd_kernel",
    Ayu: "oddly.engines.kernels.ayu_kernel",
}
"""The games that have a kernel, and the module that plays each."""

ENGINES = Path(__file__).parent.parent
SOURCES = (
    *sorted((ENGINES / "kernels").glob("*.py")),
    *sorted((ENGINES / "database").glob("*.py")),
    *(
        ENGINES / f"{name}.py"
        for name in (
            "search/copies",
            "search/recycling",
            "search/selection",
            "search/settings",
            "search/simulation",
            "search/tree",
            "solver/odd_endings",
            "solver/search",
            "solver/tables",
        )
    ),
)
"""Every file that holds a compiled function or a constant that one uses."""

OURS = re.compile(r"oddly-[0-9a-f]{16}")
KEPT = 4
"""The versions used last stay on disk: people go back and forth between them."""
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - mkdtemp makes names there that nobody guesses
"""A place for passing files that a machine without a temporary folder may have (Linux)."""


def has_kernel(game: Game) -> bool:
    """Return whether machine code plays `game`."""
    return type(game) in KERNEL_MODULES


def tell_of_plain_rules(game: Game) -> None:
    """Say once, on standard error, that `game` has no kernel."""
    tell_once(f"{game.name} has no kernel, so its plain rules are used: far slower, but the same")


@cache
def tell_once(sentence: str) -> None:
    """Print a sentence on standard error, unless this process has printed it before."""
    print(f"oddly: {sentence}", file=sys.stderr, flush=True)


@cache
def cache_directory() -> Path | None:
    """Return a writable folder whose name is a digest of the compiled sources.

    Numba looks only at the file of the outermost function and would miss a change in a function
    that it calls; a folder with a new name for every change cannot go stale. Returns None where
    nothing can be written: nothing is kept there.
    """
    name = f"oddly-{_digest()}"
    for parent in _candidates():
        folder = parent / name
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            # Permissions do not tell: a file system may be full or read-only.
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        # The folders that nobody has used for longest are removed.
        with suppress(OSError):
            os.utime(folder)
        if is_new:
            _prune(parent, folder)
        return folder
    passing = _passing_folder()
    if passing is not None:
        _borrow(passing, name)
    return passing


def is_kept() -> bool:
    """Return whether what is compiled outlives this process, and others find it."""
    folder = cache_directory()
    # A passing folder has a name of its own.
    return folder is not None and OURS.fullmatch(folder.name) is not None


def _passing_folder() -> Path | None:
    """Return a new folder that is removed when this process ends; None if there is no place."""
    for place in (None, SHARED_MEMORY):
        with suppress(OSError):
            passing = Path(tempfile.mkdtemp(prefix="oddly-", dir=place))
            break
    else:
        return None
    owner = os.getpid()

    def remove() -> None:
        # A process forked from this one ends here too.
        if os.getpid() == owner:
            shutil.rmtree(passing, ignore_errors=True)

    atexit.register(remove)
    return passing


def _borrow(passing: Path, name: str) -> None:
    """Link in `passing` to what a read-only folder holds, as for an isolated engine."""
    for parent in _candidates():
        with suppress(OSError, shutil.Error):
            shutil.copytree(
                parent / name,
                passing,
                # A new file takes the place of a link.
                copy_function=os.symlink,
                ignore=shutil.ignore_patterns("*.lock"),
                dirs_exist_ok=True,
            )
            return


@contextmanager
def exclusive(name: str) -> Iterator[None]:
    """Hold the lock of that name among all processes that use this folder.

    Where there is no lock, Numba works as it does everywhere else.
    """
    folder = cache_directory()
    with ExitStack() as held:
        # Some network file systems have no locks.
        with suppress(OSError):
            if folder is not None:
                # A newer version may have removed it as an old one.
                folder.mkdir(parents=True, exist_ok=True)
                file = held.enter_context((folder / f"{name}.lock").open("a"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def has_marker(name: str) -> bool:
    """Return whether a marker of that name lies beside the machine code."""
    folder = cache_directory()
    return folder is not None and (folder / name).exists()


def leave_marker(name: str) -> None:
    """Leave a marker of that name beside the machine code, if the disk has room."""
    folder = cache_directory()
    if folder is not None:
        with suppress(OSError):
            (folder / name).touch()


def _candidates() -> list[Path]:
    """Return the places for the folder, the best first."""
    places = [ENGINES / "__pycache__"]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        places.insert(0, Path(chosen).absolute())
    user_cache = os.environ.get("XDG_CACHE_HOME", "")
    if Path(user_cache).is_absolute():
        return [*places, Path(user_cache) / "oddly"]
    try:
        home = Path.home()
    except RuntimeError:
        return places
    caches = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return [*places, caches / "oddly"]


def _digest() -> str:
    """Return a digest of the sources, their times and places, and of Numba and its options."""
    try:
        numba_version = version("numba")
    except PackageNotFoundError:
        numba_version = ""
    # Numba itself would load code without bounds checks where they are wanted.
    checks = os.environ.get("NUMBA_BOUNDSCHECK", "")
    digest = sha256(f"{ENGINES}\0{numba_version}\0{checks}".encode())
    for source in SOURCES:
        digest.update(f"\0{source}\0{source.stat().st_mtime_ns}\0".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _prune(parent: Path, newest: Path) -> None:
    """Remove the folders of other versions, except those used last, and nothing not ours."""
    try:
        folders = [
            path
            for path in parent.iterdir()
            if OURS.fullmatch(path.name) and path != newest and not path.is_symlink()
        ]
        folders.sort(key=lambda path: path.stat().st_mtime)
    except OSError:
        return
    for folder in folders[: -(KEPT - 1)]:
        shutil.rmtree(folder, ignore_errors=True)
