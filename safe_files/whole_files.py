"""Files and folders that appear complete or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from contextlib import contextmanager, suppress
from errno import EAGAIN, EEXIST, EISDIR
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


NEW_MODE = 0o666
"""The mode of a new file, of which the process leaves something out (its umask)."""


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """Open a file to write, which gets its name only if the block succeeds.

    Raises FileExistsError if there is a file of that name, BlockingIOError while another process
    makes it, and OSError if it cannot be written.
    """
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def try_to_write(path: Path) -> None:
    """Raise OSError if a file could not be written; change nothing."""
    # A link may name a file that does not exist yet, or a pipe, which has no other path.
    place = path if path.exists() else Path(os.path.realpath(path))
    try:
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        os.close(os.open(path, os.O_WRONLY))
    else:
        place.unlink()


@contextmanager
def whole_file(path: Path, sidecars: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the path of an empty file to fill, which gets its name only if the block succeeds.

    For files that other code writes, such as SQLite, which may put files beside it whose names end
    in one of the `sidecars`. A killed process leaves nothing under the name, and the next call
    clears away what it left beside. Raises FileExistsError if there is a file of that name,
    BlockingIOError while another process makes it, and OSError if it cannot be written.
    """
    part = _part_of(path)
    with part.open("ab") as file:
        _hold(file, part)
        beside = [part.with_name(f"{part.name}{end}") for end in sidecars]
        try:
            if path.exists():
                raise FileExistsError(EEXIST, "it already exists: name a new file", str(path))
            for each in beside:
                each.unlink(missing_ok=True)
            file.truncate(0)
            yield part
            os.fsync(file.fileno())
            part.rename(path)
            _sync_folder(path.parent)
        finally:
            for each in (part, *beside):
                each.unlink(missing_ok=True)


def _part_of(path: Path) -> Path:
    """Return the name under which a file is written. Raises IsADirectoryError for one like `.`."""
    if not path.name:
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    return path.with_name(f".{path.name}.part")


def _hold(file: IO[bytes], part: Path) -> None:
    """Hold a file for this process until it is closed. Raises BlockingIOError if another does."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its last holder may have renamed it meanwhile.
        is_held = is_named(file, part)
    except BlockingIOError:
        is_held = False
    except OSError:
        # Some network file systems have no locks; there the file is written without one.
        is_held = True
    if not is_held:
        raise BlockingIOError(EAGAIN, "another process is making it now", str(part))


def is_named(file: IO[bytes], path: Path) -> bool:
    """Return whether the path still names this file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: str | bytes, *, encoding: str = "utf-8") -> None:
    """Write a file, text or bytes, in place of another if there is one.

    A crash leaves the old file or the new one, whole; so do several processes at once. A link
    stays, and what it names is replaced. The mode stays, but the owner may write; where modes
    cannot be set it may become stricter, never wider. Raises OSError if it cannot be written.
    """
    data = content.encode(encoding) if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        # A device or a pipe, such as /dev/stdout, is written itself.
        path.write_bytes(data)
        return
    path = Path(os.path.realpath(path))
    part = _part_of(path)
    with _held_in_turn(part, _mode_in_place_of(path)) as file:
        try:
            if path.exists():
                _set_mode(file, _mode_in_place_of(path))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
        finally:
            if is_named(file, part):
                part.unlink()


def _mode_in_place_of(path: Path) -> int:
    """Return the mode of a file that replaces another, or with which a new one is made."""
    # Another process that waits for this file must be able to open it.
    return stat.S_IMODE(path.stat().st_mode) | stat.S_IWUSR if path.exists() else NEW_MODE


def _set_mode(file: IO[bytes], mode: int) -> None:
    """Set a file's mode, if that is possible. Raises OSError if its present mode is wider."""
    try:
        os.fchmod(file.fileno(), mode)
    except OSError:
        # Some network file systems set no modes; only a wider one could show a secret.
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~mode:
            raise


@contextmanager
def _held_in_turn(part: Path, mode: int) -> Iterator[IO[bytes]]:
    """Hold an empty file for this process, after all processes that hold it now.

    A file that does not exist is made with this mode, less what the process leaves out.
    """
    while True:
        descriptor = os.open(part, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        with os.fdopen(descriptor, "ab") as file:
            # Some network file systems have no locks; there the file is written without one.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            # Its last holder has probably renamed it.
            if is_named(file, part):
                file.truncate(0)
                yield file
                return


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder to write to, which gets its name only if the block succeeds.

    Raises FileExistsError if it exists and is not an empty folder, and OSError if it cannot be
    made.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(EEXIST, "it already exists: name a new folder", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part_of(path)
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir()
        yield part
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
