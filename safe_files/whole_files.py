"""Files and folders that appear complete or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN, EBUSY, EEXIST, EISDIR, ELOOP, ENOTDIR, ENXIO, EPERM, EROFS
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


NEW_MODE = 0o666
"""The mode of a new file, of which the process leaves something out (its umask)."""
KEPT_IN_PLACE = frozenset({EACCES, EBUSY, EPERM, EROFS})
"""How a folder refuses a file beside another or in place of it, which may be writable itself."""


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
    if os.path.lexists(place):
        os.close(os.open(path, os.O_WRONLY))
        return
    # Under the name itself, another program might write to it before it is removed again.
    with TemporaryFile(dir=place.parent):
        pass


@contextmanager
def whole_file(path: Path, sidecars: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the path of an empty file to fill, which gets its name only if the block succeeds.

    For files that other code writes, such as SQLite, which may put files beside it whose names end
    in one of the `sidecars`. A killed process leaves nothing under the name, and the next call
    clears away what it left beside. A link stays, and what it names is made. Raises FileExistsError
    if there is a file of that name, also one that appears during the block, BlockingIOError while
    another process makes it, and OSError if it cannot be written.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    part = _part_of(path)
    with _held_file(path) as file:
        beside = [part.with_name(f"{part.name}{end}") for end in sidecars]
        try:
            _check_no_file(path)
            for each in beside:
                each.unlink(missing_ok=True)
            yield part
            os.fsync(file.fileno())
            _give_name(part, path)
            _sync_folder(path.parent)
        finally:
            for each in beside:
                each.unlink(missing_ok=True)
            if is_named(file.fileno(), part):
                part.unlink()


def _check_no_file(path: Path) -> None:
    """Raise FileExistsError if there is anything of that name."""
    if os.path.lexists(path):
        raise FileExistsError(EEXIST, "it already exists: name a new file", str(path))


def _give_name(part: Path, path: Path) -> None:
    """Give a file its name. Raises FileExistsError if there is a file of that name by now."""
    try:
        # Unlike a rename, it never replaces a file.
        os.link(part, path)
    except OSError:
        _check_no_file(path)
        # Some file systems, as on USB sticks, have no links.
        part.rename(path)
    else:
        part.unlink()


def _part_of(path: Path) -> Path:
    """Return the name under which a file is written. Raises IsADirectoryError for one like `.`."""
    if not path.name:
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    return path.with_name(f".{path.name}.part")


def _hold(descriptor: int, part: Path) -> None:
    """Hold a file or folder for this process until it is closed.

    Raises BlockingIOError if another process holds it.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(EAGAIN, "another process is making it now", str(part)) from None
    except OSError:
        # Some network file systems have no locks; there it is written without one.
        return


def is_named(descriptor: int, path: Path) -> bool:
    """Return whether the path still names this open file or folder."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
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
    cannot be set it may become stricter, never wider. A file that its folder keeps in place, such
    as one that is mounted into a container, is written itself, and a crash may cut it short. Raises
    OSError if it cannot be written.
    """
    data = content.encode(encoding) if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        # A device or a pipe, such as /dev/stdout, is written itself.
        path.write_bytes(data)
        return
    try:
        with _replacement(path) as file:
            file.write(data)
    except OSError as error:
        # An error with a name comes from the folder, and one without it from the file.
        if not (error.filename and error.errno in KEPT_IN_PLACE and path.exists()):
            raise
        _write_in_place(path, data)


def _write_in_place(path: Path, data: bytes) -> None:
    """Write a file itself. Raises OSError if it cannot be written."""
    # It is not emptied before it is written, and not made if it has vanished.
    with os.fdopen(os.open(path, os.O_WRONLY), "wb") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def change_file(path: Path, change: Callable[[str], str], *, encoding: str = "utf-8") -> None:
    """Write what `change` makes of a file's text in place of it; without a file, of no text.

    Several processes at once do so one after the other, and none loses the change of another. A
    crash leaves the old file or the new one, whole. Raises OSError if it cannot be replaced.
    """
    with _replacement(path) as file:
        text = path.read_text(encoding) if path.exists() else ""
        file.write(change(text).encode(encoding))


@contextmanager
def _replacement(path: Path) -> Iterator[IO[bytes]]:
    """Yield an empty file, in turn with other processes, which replaces another after the block."""
    path = Path(os.path.realpath(path))
    part = _part_of(path)
    with _held_file(path, _mode_in_place_of(path), in_turn=True) as file:
        try:
            if path.exists():
                _set_mode(file, _mode_in_place_of(path))
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
        finally:
            if is_named(file.fileno(), part):
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
def _held_file(path: Path, mode: int = NEW_MODE, *, in_turn: bool = False) -> Iterator[IO[bytes]]:
    """Hold the part of a file, empty, for this process; `in_turn` after all that hold it now.

    A part that does not exist is made with this mode, less what the process leaves out. Raises
    BlockingIOError if another process holds it now, except `in_turn`.
    """
    part = _part_of(path)
    while True:
        with _opened_part(path, mode) as file:
            if in_turn:
                # Some network file systems have no locks; there the file is written without one.
                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_EX)
            else:
                _hold(file.fileno(), part)
            # Its last holder has probably renamed it.
            if not is_named(file.fileno(), part):
                continue
            if os.fstat(file.fileno()).st_nlink > 1:
                # Its last holder was killed when it had given it its name: that file is whole.
                part.unlink()
                continue
            file.truncate(0)
            yield file
            return


_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK


def _opened_part(path: Path, mode: int) -> IO[bytes]:
    """Open the part of a file, which is made if it does not exist.

    Raises OSError if it is no plain file: another user of the folder may have put a link there,
    which would have us write elsewhere.
    """
    part = _part_of(path)
    try:
        descriptor = os.open(part, _APPENDING, mode)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return os.fdopen(descriptor, "ab")
        os.close(descriptor)
    except OSError as error:
        if error.errno not in (EISDIR, ELOOP, ENXIO):
            raise
    raise OSError(ELOOP, f"{part} is not a plain file: remove it", str(path))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder to write to, which gets its name only if the block succeeds.

    A link stays, and what it names is made. Raises FileExistsError if it exists and is not an empty
    folder, BlockingIOError while another process makes it, and OSError if it cannot be made.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    _check_new(path)
    part = _part_of(path)
    with _held_folder(part):
        try:
            # Its last holder may have given it its name meanwhile.
            _check_new(path)
            _empty(part)
            yield part
            part.rename(path)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


def _check_new(folder: Path) -> None:
    """Raise FileExistsError if there is a folder with something in it, or a file of that name."""
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(EEXIST, "it already exists: name a new folder", str(folder))


@contextmanager
def _held_folder(part: Path) -> Iterator[None]:
    """Hold a folder for this process. Raises BlockingIOError if another process holds it now."""
    while True:
        descriptor = _opened_folder(part)
        try:
            _hold(descriptor, part)
            # Its last holder has probably renamed it.
            if is_named(descriptor, part):
                yield
                return
        finally:
            os.close(descriptor)


def _opened_folder(path: Path) -> int:
    """Return the descriptor of a folder, which is made if it does not exist.

    Raises OSError if it is no plain folder: a link would have us empty another one.
    """
    while True:
        # Another process may rename it in between.
        with suppress(FileNotFoundError):
            if not stat.S_ISDIR(path.lstat().st_mode):
                raise OSError(ENOTDIR, "it is not a plain folder: remove it", str(path))
        path.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _empty(folder: Path) -> None:
    """Remove what a killed process left in a folder."""
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
