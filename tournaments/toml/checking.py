"""Reads a TOML file that a user wrote, within bounds, and checks its tables against models.

Each problem is reported with its line.
"""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from oddly.games import did_you_mean, one_line
from oddly.games.wording import counted

if TYPE_CHECKING:
    from pathlib import Path


LARGEST_FILE = 1 << 20
MAX_KEY_PARTS = 16
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_KEY_BEGINS = r"(?:^[ \t]*+\[{0,2}|[{,])[ \t]*+"
_LONG_KEY = re.compile(
    rf"{_KEY_BEGINS}{_PART}(?:{_PART}){{{MAX_KEY_PARTS}}}", re.ASCII | re.MULTILINE
)


class TomlFileError(ValueError):
    """A file is wrong. The message has a line for each problem, with its place."""


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and the value that it holds.

    Raises TomlFileError if it cannot be read or is not TOML.
    """
    text = _read(path)
    if _LONG_KEY.search(text):
        # tomllib takes time quadratic in the length.
        raise TomlFileError(f"{path}: a key has more than {MAX_KEY_PARTS} parts")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlFileError(_syntax_error(path, text, str(error))) from None
    except ValueError:
        raise TomlFileError(f"{path}: a number has too many digits") from None
    except RecursionError:
        raise TomlFileError(f"{path}: lists or tables are nested too deeply") from None


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise TomlFileError(f"{path} is a directory, not a file")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise TomlFileError(f"{path} is larger than {LARGEST_FILE} bytes")
        return data.removeprefix(BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.toml")])
        raise TomlFileError(f"there is no file {path}{near}") from None
    except UnicodeDecodeError as error:
        raise TomlFileError(f"{path} is not UTF-8 text, at byte {error.start}") from None
    except OSError as error:
        raise TomlFileError(f"{path} cannot be read: {error.strerror}") from None


def _syntax_error(path: Path, text: str, message: str) -> str:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place is None:
        said, end, _ = message.partition(" (at end of document)")
        return f"{path}: not TOML: {_in_our_words(said, text)}{end}"
    up_to = "\n".join(text.split("\n")[: int(place[1])])
    said = _in_our_words(message[: place.start()], up_to)
    return f"{path}:{place[1]}: not TOML, at column {place[2]}: {said}"


def _in_our_words(message: str, text: str) -> str:
    """Return what tomllib says of the last line of a text; it names no key, or a Python tuple."""
    if not message.startswith("Cannot "):
        return message
    line = _bare(text).rpartition("\n")[2].strip()
    header = _HEADER.fullmatch(line)
    if header and line.endswith("]]") is (len(header[1]) == 2):
        what = (
            "is there already" if "declare" in message else "clashes with an earlier key or table"
        )
        return f"{one_line(line, MAX_QUOTATION_LENGTH)} {what}"
    with suppress(tomllib.TOMLDecodeError):
        if (key := _KEY.match(line)) and "{" not in line:
            names = _split(key[1])
            what = "is there already" if len(names) == 1 else "clashes with an earlier key or table"
            return f"{quoted('.'.join(names))} {what}"
    # The line has a table of its own, or is the last one of a value.
    return "a key that ends here clashes with an earlier one"


MAX_NAME_LENGTH = 64


class Table(BaseModel):
    """A table that a user writes: unknown keys and near misses of a type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def tables_of(file: type[BaseModel]) -> Mapping[str, type[BaseModel]]:
    """Return the model of each table of a file, by its name."""
    return {
        name: (get_args(field.annotation) or (field.annotation,))[0]
        for name, field in file.model_fields.items()
    }


def is_repeated(file: type[BaseModel], name: str) -> bool:
    """Return whether a table is written `[[name]]` and may be repeated."""
    return bool(get_args(file.model_fields[name].annotation))


def fits(value: int) -> bool:
    """Return whether a whole number fits into TOML's 64 bits."""
    return -(2**63) <= value < 2**63


def _as_text(value: object) -> object:
    """Return numbers and booleans as TOML writes them, and other values unchanged."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, int) and fits(value) else value


Text = Annotated[
    str, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
"""Text, or a number or boolean that means its own text."""


_PATH = r"^[^\x00]*$"
PathText = Annotated[str, Field(min_length=1, pattern=_PATH)]
"""The text of a path."""


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
                    f"{counted(least, noun)} or more expected in {_dotted(place)}, found {found}"
                )
            case kind:
                sentence = self._wrong_value(kind, place, problem)
        self.add(place, sentence)

    def _wrong_value(self, kind: str, place: Place, problem: Any) -> str:  # noqa: ANN401
        expected = _EXPECTED.get(kind) or re.sub("^(Input|String|List) ", "", problem["msg"])
        if problem.get("ctx", {}).get("pattern") == _PATH:
            expected = "should be a path, without the character U+0000"
        if kind == "list_type" and len(place) == 1:
            expected = f"should be written {self._written(str(place[0]))}"
        sentence = f"{_dotted(place)} {expected}"
        if kind != "string_too_short":
            sentence += f", not {quoted(problem['input'])}"
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


def quoted(value: object) -> str:
    """Return a value as TOML writes it, shortened; for a list or table, its kind."""
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
        self._lines: dict[Place, int] = {}
        self._tables: dict[Place, int] = {}
        here: Place = ()
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

    def _enter(self, names: list[str], *, array: bool) -> Place:
        """Return the path of a header's table; the tables of an array are numbered."""
        path: Place = ()
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
    """Return the text without comments and without the contents of multi-line strings."""

    def replacement(token: re.Match[str]) -> str:
        if token["string"]:
            return token["string"]
        return '""' + "\n" * token[0].count("\n") if token["long"] else ""

    return _TOKEN.sub(replacement, text)


def _opened(line: str) -> int:
    """Return the number of brackets that a line opens less those it closes."""
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
