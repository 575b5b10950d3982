"""Reading and writing messages.

A message is one JSON object with a `type`; its class is a frozen dataclass whose fields are made by
`member`. Unknown members of an object are ignored; a missing or wrong one raises WireError with its
place.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic_core import from_json, to_json

from oddly.arena.wire.members import WireError, shown, wrong
from oddly.safe_files import json_object
from oddly.safe_files.bounded_json import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


MAX_FROM_ENGINE = 4096
"""The maximum bytes of a message from an engine's side."""
MAX_FROM_ARENA = 65_536
"""The maximum bytes of a message from the arena."""

SUBPROTOCOL = "oddly-arena.1"
"""The name of the wire and its version, as the handshake of the WebSocket has them."""

_NEEDED = object()
_ATOMS = frozenset({str, int, float, bool, type(None)})
"""The types of values that are JSON as they are."""


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
