"""Where machine code is kept between runs: a folder per version of the sources."""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = Path(__file__).parent.parent
SOURCES = (
    *sorted((ENGINES / "kernels").glob("*.py")),
    *sorted((ENGINES / "database").glob("*.py")),
    *(
        ENGINES / f"{name}.py"
        for name in (
            "search/copies",
            "search/leaf",
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
"""The newest versions stay on disk: people go back and forth between them."""


@cache
def cache_directory() -> Path:
    """Return a writable folder whose name is a digest of the compiled sources.

    Numba looks only at the file of the outermost function and would miss a change in a function
    that it calls; a folder with a new name for every change cannot go stale.
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
        if is_new:
            _prune(parent, folder)
        return folder
    passing = Path(tempfile.mkdtemp(prefix="oddly-"))
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    _borrow(passing, name)
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
    """Hold the lock of that name among all processes that use this folder."""
    with (cache_directory() / f"{name}.lock").open("a") as file:
        # Some network file systems have no locks; Numba then works as it does everywhere else.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
    """Remove the folders of older versions, except the last few, and nothing that is not ours."""
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
