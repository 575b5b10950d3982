"""Members of messages, and how messages are read and written.

A message is one JSON object with a `type`; its class is a frozen dataclass whose fields are made by
`member`, each with a reader that returns a checked value, or says what was expected. Unknown
members of an object are ignored; a missing or wrong one raises WireError with its place.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic_core import from_json, to_json

from oddly.safe_files import json_object
from oddly.safe_files.bounded_json import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Read = Callable[[Any], Any]


MAX_FROM_ENGINE = 4096
"""The maximum bytes of a message from an engine's side."""
MAX_FROM_ARENA = 65_536
"""The maximum bytes of a message from the arena."""
MAX_ID = 64
MAX_NAME = 64
MAX_TEXT = 400
MAX_TURN = 200
MAX_TURNS = 8192
MAX_POOLS = 64
MAX_SETTINGS = 16
MAX_SECONDS = 1e9
MAX_NUMBER = 2**53
"""Whole numbers up to this are exact in every language's JSON."""
MAX_LEAD = 10_000.0
MAX_ELO = 100_000.0
"""The bound of a rating in both directions, and of its error."""

SUBPROTOCOL = "oddly-arena.1"
"""The name of the wire and its version, as the handshake of the WebSocket has them."""

_NEEDED = object()
_ATOMS = frozenset({str, int, float, bool, type(None)})
"""The types of values that are JSON as they are."""
_ID = re.compile(r"[A-Za-z0-9._+/:-]+")
_BASE64 = re.compile(r"[A-Za-z0-9_-]+={0,2}")
_HEX = re.compile(r"[0-9a-f]+")


class WireError(ValueError):
    """A message does not follow the wire's format. The error is one sentence."""


def shown(value: object) -> str:
    """Return the beginning of a value as JSON, for an error message."""
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        text = "a value"
    return text if len(text) <= 60 else text[:57] + "..."


def wrong(value: object, expected: str) -> WireError:
    """Return the error of a value that is not what was expected."""
    return WireError(f"is {shown(value)}, expected {expected}")


def member(read: Callable[[Any], Any], default: Any = _NEEDED) -> Any:  # noqa: ANN401
    """Return a field that is read by `read`, and may be left out if it has a default."""
    if default is _NEEDED:
        return dataclasses.field(metadata={"read": read})
    return dataclasses.field(default=default, metadata={"read": read})


@dataclass(frozen=True, slots=True)
class Members:
    """An object inside a message."""

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON. Members that have their default are left out."""
        found = {}
        for name, default, _ in _members(type(self)):
            value = getattr(self, name)
            if value is not default and value != default:
                found[name] = value if type(value) in _ATOMS else _plain(value)
        return found


Kind = TypeVar("Kind", bound=Members)


@dataclass(frozen=True, slots=True)
class Message(Members):
    """A message from one side to the other."""

    TYPE: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, with the type."""
        return {"type": self.TYPE, **Members.as_json(self)}

    def encoded(self) -> str:
        """Return the message as it is sent."""
        return to_json(self.as_json()).decode()


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Members):
        return value.as_json()
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value


_MEMBERS: dict[type[Members], tuple[tuple[str, Any, Callable[[Any], Any]], ...]] = {}


def _members(kind: type[Members]) -> tuple[tuple[str, Any, Callable[[Any], Any]], ...]:
    """Return the name, the default and the reader of each member."""
    if kind not in _MEMBERS:
        _MEMBERS[kind] = tuple(
            (field.name, field.default, field.metadata["read"])
            for field in dataclasses.fields(kind)
        )
    return _MEMBERS[kind]


def read_members(kind: type[Kind], value: Any) -> Kind:  # noqa: ANN401 - JSON
    """Return an object of that kind. Raises WireError."""
    if not isinstance(value, dict):
        raise wrong(value, "an object")
    found = {}
    for name, default, read in _members(kind):
        if name in value:
            try:
                found[name] = read(value[name])
            except WireError as error:
                raise WireError(f"{name!r} {error}") from None
        elif default is dataclasses.MISSING:
            raise WireError(f"{name!r} is missing")
    return kind(**found)


def reader_of(kind: type[Kind]) -> Callable[[Any], Kind]:
    """Return a reader of objects inside a message."""
    return lambda value: read_members(kind, value)


def _read_object(text: str | bytes, most: int) -> dict[str, Any]:
    """Return the JSON object in a text of at most this many bytes. Raises WireError."""
    try:
        data = text.encode() if isinstance(text, str) else text
        if len(data) <= most:
            return _quickly_read(data) or json_object(data.decode())
    except UnicodeError:
        raise WireError("a message is not UTF-8") from None
    except ValueError as error:
        raise WireError(f"a message is not a JSON object: {error}") from None
    raise WireError(f"a message of {len(data)} bytes, expected at most {most}")


def _quickly_read(data: bytes) -> dict[str, Any] | None:
    """Return a shallow object; None for all else, which a slower reader reads or refuses."""
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        return None
    try:
        value = from_json(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def parse_as(kinds: Mapping[str, type[Message]], text: str | bytes, most: int) -> Message | None:
    """Return the message in a text of at most `most` bytes; None for an unknown type.

    Raises WireError.
    """
    value = _read_object(text, most)
    type_ = value.get("type")
    if not isinstance(type_, str):
        raise WireError(f"'type' is {shown(type_)}, expected a text")
    kind = kinds.get(type_)
    if kind is None:
        return None
    try:
        return read_members(kind, value)
    except WireError as error:
        raise WireError(f"{type_}: {error}") from None


def identifier(value: Any) -> str:  # noqa: ANN401 - JSON
    """Read the id of a game or a pool, or an engine's slug. Raises WireError."""
    if not (isinstance(value, str) and len(value) <= MAX_ID and _ID.fullmatch(value)):
        raise wrong(value, f"1 to {MAX_ID} letters, digits or ._+/:-")
    return value


def line(longest: int, shortest: int = 0) -> Read:
    """Return a reader of printable text of one line."""

    def read(value: Any) -> str:  # noqa: ANN401 - JSON
        if not (isinstance(value, str) and shortest <= len(value) <= longest):
            raise wrong(value, f"a text of {shortest} to {longest} characters")
        if not value.isprintable():
            raise wrong(value, "printable text in one line")
        return value

    return read


def base64_text(characters: int) -> Read:
    """Return a reader of base64url with at most this many characters."""

    def read(value: Any) -> str:  # noqa: ANN401 - JSON
        if not (isinstance(value, str) and len(value) <= characters and _BASE64.fullmatch(value)):
            raise wrong(value, f"base64url of at most {characters} characters")
        return value

    return read


def hexadecimal(digits: int) -> Read:
    """Return a reader of this many hexadecimal digits in lower case."""

    def read(value: Any) -> str:  # noqa: ANN401 - JSON
        if not (isinstance(value, str) and len(value) == digits and _HEX.fullmatch(value)):
            raise wrong(value, f"{digits} hexadecimal digits")
        return value

    return read


def number(least: float, most: float) -> Read:
    """Return a reader of finite numbers within bounds, as floats."""

    def read(value: Any) -> float:  # noqa: ANN401 - JSON
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(value, "a number")
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if not least <= found <= most:
            raise wrong(value, f"a number from {least:g} to {most:g}")
        return found

    return read


seconds = number(0.0, MAX_SECONDS)


def whole(least: int, most: int = MAX_NUMBER) -> Read:
    """Return a reader of whole numbers within bounds."""

    def read(value: Any) -> int:  # noqa: ANN401 - JSON
        # JSON has one kind of number: 2.0 is 2.
        found = int(value) if isinstance(value, float) and value.is_integer() else value
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= most:
            raise wrong(value, f"a whole number from {least} to {most}")
        return found

    return read


def truth(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Read true or false. Raises WireError."""
    if not isinstance(value, bool):
        raise wrong(value, "true or false")
    return value


def optional(read: Read) -> Read:
    """Return a reader that also accepts null."""
    return lambda value: None if value is None else read(value)


def one_of(*known: Any) -> Read:  # noqa: ANN401 - JSON
    """Return a reader of one of these values."""

    def read(value: Any) -> Any:  # noqa: ANN401 - JSON
        for each in known:
            if value == each and type(value) is type(each):
                return each
        raise wrong(value, "one of " + ", ".join(map(shown, known)))

    return read


def several(read: Read, most: int, least: int = 0) -> Read:
    """Return a reader of a list, as a tuple."""

    def read_all(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - JSON
        if not (isinstance(value, list) and least <= len(value) <= most):
            raise wrong(value, f"a list of {least} to {most} values")
        return tuple(map(read, value))

    return read_all


def by_name(read: Read, most: int) -> Read:
    """Return a reader of an object whose members all have one type."""

    def read_all(value: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
        if not (isinstance(value, dict) and len(value) <= most):
            raise wrong(value, f"an object of at most {most} members")
        return {identifier(name): read(inner) for name, inner in value.items()}

    return read_all


def setting_value(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Read the value of a game's setting. Raises WireError."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return whole(-MAX_NUMBER)(value)
    return line(MAX_NAME)(value)


settings = by_name(setting_value, MAX_SETTINGS)
turn = line(MAX_TURN, 1)
turns = several(turn, MAX_TURNS)
clocks = several(seconds, 2, 2)
name = line(MAX_NAME, 1)
time_control = line(MAX_NAME, 1)
sentence = line(MAX_TEXT)
address = line(MAX_TEXT)
