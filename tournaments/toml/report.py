"""What is wrong with a file of TOML, in sentences with their lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oddly.games.errors import did_you_mean
from oddly.games.untrusted_text import one_line
from oddly.tournaments.toml.table import fits, is_repeated, tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from oddly.tournaments.toml.lines import TomlLines

Place = tuple[str | int, ...]
"""As in `("engine", 1, "command")`: the key `command` of the second `[[engine]]`."""
Explanation = Callable[[str, Place], str | None]

MAX_QUOTATION_LENGTH = 60
MAX_SENTENCE_LENGTH = 2_000


class Report:
    """The problems of a file with their lines.

    `file` is the model of the whole file. `explain`, if given, returns a sentence of its own for an
    unknown key, or None.
    """

    def __init__(
        self,
        path: Path,
        lines: TomlLines,
        file: type[BaseModel],
        explain: Explanation | None = None,
    ) -> None:
        self._path = path
        self._lines = lines
        self._file = file
        self._explain = explain
        self._tables = tables_of(file)
        self._problems: list[tuple[int, str]] = []

    def add(self, place: Place, sentence: str) -> None:
        """Add a problem at `place`."""
        self._problems.append((self._lines.find(place), sentence))

    def schema(self, problem: Any) -> None:  # noqa: ANN401 - pydantic's own type is a TypedDict
        """Add one of pydantic's problems in our words."""
        place = tuple(problem["loc"])
        key = str(place[-1])
        match problem["type"]:
            case "extra_forbidden":
                self.unknown_key(place, list(self._known(place[:-1])))
                return
            case "missing" if len(place) == 1:
                sentence = f"the file lacks the table {self._written(key)}"
            case "missing":
                sentence = f"{_table_name(place[:-1])} lacks the key {key!r}"
            case "too_short":
                least, found = problem["ctx"]["min_length"], problem["ctx"]["actual_length"]
                noun = f"{self._written(key)} table" if key in self._tables else "word"
                sentence = (
                    f"{least} {noun}{'' if least == 1 else 's'} or more expected in "
                    f"{_dotted(place)}, found {found}"
                )
            case kind:
                sentence = self._wrong_value(kind, place, problem)
        self.add(place, sentence)

    def _wrong_value(self, kind: str, place: Place, problem: Any) -> str:  # noqa: ANN401
        expected = _EXPECTED.get(kind) or re.sub("^(Input|String|List) ", "", problem["msg"])
        if kind == "list_type" and len(place) == 1:
            expected = f"should be written {self._written(str(place[0]))}"
        sentence = f"{_dotted(place)} {expected}, not {_quoted(problem['input'])}"
        if kind == "literal_error":
            names = re.findall("'([^']*)'", problem["ctx"]["expected"])
            sentence += did_you_mean(str(problem["input"]), names)
        return sentence

    def unknown_key(self, place: Place, known: Sequence[str]) -> None:
        """Add a problem: the table has no such key, only those that are `known`."""
        *table, last = place
        key = str(last)
        said = self._explain(key, tuple(table)) if self._explain else None
        if said is None:
            near = did_you_mean(key, known)
            said = f"unknown key {key!r} in {_table_name(tuple(table))}"
            said += near or f"; it has {', '.join(known)}"
        self.add(place, said)

    def text(self) -> str:
        """Return all problems, one a line, in the order of the file; empty if there are none."""
        return "\n".join(
            f"{self._path}:{line}: {one_line(said, MAX_SENTENCE_LENGTH)}"
            for line, said in sorted(self._problems)
        )

    def _known(self, table: Place) -> Sequence[str]:
        """Return the keys that a table may have."""
        return list(self._tables[str(table[0])].model_fields if table else self._tables)

    def _written(self, name: str) -> str:
        """Return the header of a table as TOML has it."""
        return f"[[{name}]]" if is_repeated(self._file, name) else f"[{name}]"


_EXPECTED = {
    "bool_type": "should be true or false",
    "dict_type": "should be a table",
    "float_type": "should be a number",
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


def _table_name(place: Place) -> str:
    match place:
        case ():
            return "the file"
        case (name,):
            return f"[{name}]"
        case (name, int(index), *rest):
            return f"[[{name}]] number {index + 1}" + "".join(f", {part}" for part in rest)
        case _:
            return _dotted(place)


def _dotted(place: Place) -> str:
    """Return the place of a value for people, such as `engine 2 command`."""
    words = [str(part + 1) if isinstance(part, int) else part for part in place]
    return " ".join(words)
