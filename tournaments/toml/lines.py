"""The line of each key in a TOML file, which `tomllib` does not report."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str | int, ...]
"""As in `("engine", 1, "command")`: the key `command` of the second `[[engine]]`."""

_STRING = r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
_LONG_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'
_TOKEN = re.compile(
    rf"(?P<long>{_LONG_STRING})|(?P<string>{_STRING})|(?P<comment>#[^\n]*)", re.DOTALL
)
_HEADER = re.compile(rf"\s*(\[\[?)((?:{_STRING}|[^\"'\[\]])+)\]\]?\s*")
_KEY = re.compile(rf"((?:{_STRING}|[^\"'=])+)=")


class TomlLines:
    """The lines of the headers and keys of one file, which must be valid TOML."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}
        here: Path = ()
        depth = 0
        for number, line in enumerate(_bare(text).split("\n"), start=1):
            if depth:
                pass
            elif header := _HEADER.fullmatch(line):
                here = self._enter(_split(header[2]), array=len(header[1]) == 2)
                for end in range(1, len(here) + 1):
                    self._lines.setdefault(here[:end], number)
            elif key := _KEY.match(line.lstrip()):
                path = here
                for part in _split(key[1]):
                    path = (*path, part)
                    self._lines.setdefault(path, number)
            depth += _opened(line)

    def find(self, path: Sequence[str | int]) -> int:
        """Return the line of `path`, or of the innermost table around it that has one, or 1."""
        for end in range(len(path), 0, -1):
            line = self._lines.get(tuple(path[:end]))
            if line is not None:
                return line
        return 1

    def _enter(self, names: list[str], *, array: bool) -> Path:
        """Return the path of a header's table; the tables of an array are numbered."""
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


def _bare(text: str) -> str:
    """Return the text without comments and without the insides of strings of several lines."""

    def replacement(token: re.Match[str]) -> str:
        if token["string"]:
            return token["string"]
        return '""' + "\n" * token[0].count("\n") if token["long"] else ""

    return _TOKEN.sub(replacement, text)


def _opened(line: str) -> int:
    """Return how many more brackets a line opens than it closes."""
    bare = re.sub(_STRING, "", line)
    return sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")


def _split(dotted: str) -> list[str]:
    """Return the names in a dotted key, without quotes and escapes."""
    table: object = tomllib.loads(f"{dotted} = 0")
    names = []
    while isinstance(table, dict):
        ((name, table),) = table.items()
        names.append(name)
    return names
