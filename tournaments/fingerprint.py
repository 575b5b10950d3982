"""Which program an engine is: the SHA-256 of the files that its command names.

The hash covers a command's program, and each argument or value of an option that names a file: the
script of an interpreter, a net of weights, a book, also as in `--net=FILE`. For a compiled engine,
which is one file, it is the output of `sha256sum`. `python -m` names no file, so only the version
that the engine reports identifies it. For our own engines the hash covers the sources of this
oddly.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OURS = "the sources of oddly"
PACKAGES = ("games", "protocol", "engines")
"""The packages with the source files of our engines."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The SHA-256 of each readable file in hexadecimal, in the order of the command."""

    files: Mapping[str, str]

    @property
    def hash(self) -> str:
        """The hash of the only file, or a hash over those of several; empty without a file."""
        hashes = list(self.files.values())
        if len(hashes) < 2:
            return "".join(hashes)
        return hashlib.sha256("".join(f"{line}\n" for line in hashes).encode()).hexdigest()


def fingerprint(
    command: Sequence[str],
    directory: str | Path | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
) -> Fingerprint:
    """Return the fingerprint of a command as it is run in `directory`, or here."""
    files = {}
    words = [word.partition("=")[2] if word.startswith("-") else word for word in command]
    for word in filter(None, (*words, *options.values())):
        path = Path(directory or ".") / word
        try:
            # A pipe or a device may have no end.
            if path.is_file():
                with path.open("rb") as file:
                    files[word] = hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):
            continue
    if runs_ours(command):
        files[OURS] = own_hash()
    return Fingerprint(files)


def runs_ours(command: Sequence[str]) -> bool:
    """Return whether the command runs an engine of this oddly."""
    here = Path(sys.executable)
    match command:
        case [program, "engine", *_]:
            return Path(program) == here.parent / "oddly"
        case [program, "-m", "oddly", "engine", *_] | [
            program, "-P", "-m", "oddly", "engine", *_
        ]:  # fmt: skip
            return Path(program) == here
        case _:
            return False


@cache
def own_hash() -> str:
    """Return the hash over all source files of our engines."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for package in PACKAGES:
        if (spec := find_spec(package)) is not None and spec.origin is not None:
            yield from sorted(Path(spec.origin).parent.rglob("*.py"))
