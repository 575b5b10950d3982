"""On which line of a TOML file a key stands, which `tomllib` does not tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str | int, ...]
"""As in `("engine", 1, "command")`: the key `command` of the second `[[engine]]`."""

_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""")


class TomlLines:
    """The lines of the headers and keys of one file."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}
        here: Path = ()
        for number, line in enumerate(text.splitlines(), start=1):
            if header := _HEADER.fullmatch(line):
                here = self._enter(_split(header[2]), array=len(header[1]) == 2)
                for end in range(1, len(here) + 1):
                    self._lines.setdefault(here[:end], number)
            elif key := _KEY.match(line):
                path = here
                for part in _split(key[1]):
                    path = (*path, part)
                    self._lines.setdefault(path, number)

    def find(self, path: Sequence[str | int]) -> int:
        """The line of `path`, or of the innermost thing around it that has one; 1 failing all."""
        for end in range(len(path), 0, -1):
            line = self._lines.get(tuple(path[:end]))
            if line is not None:
                return line
        return 1

    def _enter(self, names: list[str], *, array: bool) -> Path:
        """The path of a header's table; the tables of an array are numbered as they come."""
        path: Path = ()
        for name in names[:-1]:
            path = (*path, name)
            if path in self._tables:
                path = (*path, self._tables[path])
        path = (*path, names[-1])
        if array:
            self._tables[path] = self._tables.get(path, -1) + 1
            path = (*path, self._tables[path])
        return path


def _split(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
