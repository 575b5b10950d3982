"""What is wrong with a tournament file, in sentences with their lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from games.errors import did_you_mean
from tournaments.playing_settings import PLAYING_SETTINGS
from tournaments.toml_tables import (
    FORMAT_TABLES,
    EngineTable,
    File,
    GameTable,
    OptionTable,
    TournamentTable,
    fits,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from tournaments.toml_lines import TomlLines

MAX_QUOTATION_LENGTH = 60


class Report:
    """The problems of a file with their lines. `table` is the model of `[tournament]`."""

    def __init__(self, path: Path, lines: TomlLines, table: type[TournamentTable]) -> None:
        self._path = path
        self._lines = lines
        self._table = table
        self._problems: list[tuple[int, str]] = []

    def add(self, place: tuple[str | int, ...], sentence: str) -> None:
        """Add a problem at `place`."""
        self._problems.append((self._lines.find(place), sentence))

    def schema(self, problem: Any) -> None:  # noqa: ANN401 - pydantic's own type is a TypedDict
        """Add one of pydantic's problems in our words."""
        place = tuple(problem["loc"])
        key = str(place[-1])
        table = _table_name(place[:-1])
        match problem["type"]:
            case "extra_forbidden":
                sentence = self._unknown_key(key, place[:-1])
            case "missing":
                sentence = f"{table} lacks the key {key!r}"
            case "too_short":
                noun = {
                    "game": "[[game]]",
                    "engine": "[[engine]] tables",
                    "option": "[[option]]",
                }.get(key, "word")
                least, found = problem["ctx"]["min_length"], problem["ctx"]["actual_length"]
                sentence = f"{least} {noun} or more expected in {_dotted(place)}, found {found}"
            case kind:
                expected = _EXPECTED.get(kind) or re.sub("^(Input|String) ", "", problem["msg"])
                if kind == "list_type" and key in ("game", "engine", "option"):
                    expected = f"should be written [[{key}]]"
                sentence = f"{_dotted(place)} {expected}, not {_quoted(problem['input'])}"
                if kind == "literal_error":
                    names = re.findall("'([^']*)'", problem["ctx"]["expected"])
                    sentence += did_you_mean(str(problem["input"]), names)
        self.add(place, sentence)

    def _unknown_key(self, key: str, place: tuple[str | int, ...]) -> str:
        """Return a sentence that the table has no such key, at least not in this format."""
        known = _known_keys(place, self._table)
        if place == ("tournament",):
            formats = [name for name, table in FORMAT_TABLES.items() if key in table.model_fields]
            if formats:
                common = {*TournamentTable.model_fields, *PLAYING_SETTINGS}
                own = [key for key in known if key not in common]
                return (
                    f"{key!r} is a key of the format{'s' if len(formats) > 1 else ''} "
                    f"{' and '.join(formats)}; this one has {' and '.join(own)}"
                )
        return _unknown(key, place, known)

    def unknown_setting(self, place: tuple[str | int, ...], settings: Iterable[str]) -> None:
        """Report a key that is no setting of any game, in the table of a game with `settings`."""
        *table, key = place
        keys = [*GameTable.model_fields, *settings]
        self.add(place, _unknown(str(key), tuple(table), keys))

    def text(self) -> str:
        """Return all problems, one a line, in the order of the file; empty if there are none."""
        return "\n".join(f"{self._path}:{line}: {said}" for line, said in sorted(self._problems))


def _unknown(key: str, place: tuple[str | int, ...], known: Sequence[str]) -> str:
    said = f"unknown key {key!r} in {_table_name(place)}{did_you_mean(key, known)}"
    return said if "did you mean" in said else f"{said}; it has {', '.join(known)}"


_EXPECTED = {
    "bool_type": "should be true or false",
    "dict_type": "should be a table",
    "int_type": "should be a whole number",
    "list_type": "should be a list",
    "model_type": "should be a table",
    "string_too_short": "should not be empty",
    "string_type": "should be text in quotes",
}
"""Our words for the types of pydantic's problems."""


def _quoted(value: object) -> str:
    """Return a value as TOML writes it, shortened; for lists and tables, what they are."""
    match value:
        case bool():
            return str(value).lower()
        case int() if not fits(value):
            return "a number of more than 64 bits"
        case list():
            return "a list"
        case dict():
            return "a table"
        case str():
            text = repr(value)
        case _:
            text = str(value)
    return text if len(text) <= MAX_QUOTATION_LENGTH else f"{text[:MAX_QUOTATION_LENGTH]}..."


def _table_name(place: tuple[str | int, ...]) -> str:
    match place:
        case ():
            return "the file"
        case (name,):
            return f"[{name}]"
        case (name, int(index), *rest):
            return f"[[{name}]] number {index + 1}" + "".join(f", {part}" for part in rest)
        case _:
            return _dotted(place)


def _dotted(place: tuple[str | int, ...]) -> str:
    """Return the place of a value for people, such as `engine 2 command`."""
    words = [str(part + 1) if isinstance(part, int) else part for part in place]
    return " ".join(words)


def _known_keys(place: tuple[str | int, ...], tournament: type[TournamentTable]) -> list[str]:
    tables: dict[str, type[BaseModel]] = {
        "tournament": tournament,
        "game": GameTable,
        "engine": EngineTable,
        "option": OptionTable,
    }
    table = tables[str(place[0])] if place else File
    return list(table.model_fields)
