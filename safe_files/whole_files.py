"""Files and folders that appear complete or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from errno import EEXIST
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """Open a file to write, which gets its name when the block has ended well.

    Raises FileExistsError if there is a file of that name, and OSError if it cannot be written.
    """
    if path.exists():
        raise FileExistsError(EEXIST, "it already exists: name a new file", str(path))
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def replace_file(path: Path, text: str, *, encoding: str = "utf-8") -> None:
    """Write a file, in place of another if there is one.

    A crash leaves the old file or the new one, whole. Raises OSError if it cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding=encoding, newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder to write to, which gets its name when the block has ended well.

    Raises FileExistsError unless there is none or an empty one, and OSError if it cannot be made.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(EEXIST, "it already exists: name a new folder", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir()
        yield part
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
