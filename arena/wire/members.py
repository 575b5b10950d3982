"""The members of messages: each reader returns a checked value, or says what was expected."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Read = Callable[[Any], Any]

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
