"""The kinds of values that options take: how each is read, and how a shell completes it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from oddly.interfaces.command_line.errors import UnknownValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Words = Callable[[], Iterable[str]]

FILE = click.Path(path_type=Path, readable=False)
"""The name of a file, which is not opened here."""


class Value(click.ParamType[Any]):
    """A value that a function reads, which raises ValueError with a sentence if it cannot.

    `words` gives the words that a shell completes.
    """

    name = "value"

    def __init__(self, read: Callable[[str], object], words: Words = tuple) -> None:
        self._read = read
        self._words = words

    def convert(
        self,
        value: Any,  # noqa: ANN401 - a default may have any type
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the value, read unless it is a default. Raises click.BadParameter."""
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that complete the incomplete one."""
        return [CompletionItem(word) for word in self._words() if word.startswith(incomplete)]


class OneOf(Value):
    """One of several words; `kind` is what an error calls them."""

    name = "word"

    def __init__(self, *expected: str, kind: str = "value") -> None:
        super().__init__(self._known, lambda: expected)
        self._expected = expected
        self._kind = kind

    def convert(
        self,
        value: Any,  # noqa: ANN401
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the word. Raises UnknownValueError if it is not expected."""
        if value not in self._expected:
            raise UnknownValueError(self._kind, str(value), self._expected)
        return value

    def _known(self, text: str) -> str:
        return text


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(f"a whole number is expected, not {text!r}")
    return int(text)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise ValueError(f"a whole number from 1 is expected, not {text!r}")
    return int(text)


def number(text: str) -> float:
    """Return the number that a text is; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _seconds(text: str) -> float:
    if not 0 <= (value := number(text)) < 1e6:
        raise ValueError(f"a number of seconds is expected, not {text!r}")
    return value


def _some_seconds(text: str) -> float:
    if not 0.001 <= (value := number(text)) < 1e6:
        raise ValueError(f"a number of seconds above 0 is expected, not {text!r}")
    return value


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65_536):
        raise ValueError(f"a port from 0 to 65535 is expected, not {text!r}")
    return int(text)


WHOLE_NUMBER = Value(_whole_number)
"""0 or more."""
POSITIVE = Value(_positive)
"""1 or more."""
SECONDS = Value(_seconds)
"""0 or more."""
SOME_SECONDS = Value(_some_seconds)
"""More than 0, as in a fixed time control."""
PORT = Value(_port)
"""0 is any port that is free."""


def _table_format(text: str) -> str:
    from oddly.interfaces.text.tables import DEFAULT_FORMAT, table_formats

    if text != DEFAULT_FORMAT and text not in table_formats():
        raise UnknownValueError("table format", text, table_formats())
    return text


def _table_formats() -> Iterable[str]:
    from oddly.interfaces.text.tables import table_formats

    return table_formats()


TABLE_FORMAT = Value(_table_format, _table_formats)
"""A format of tables that tabulate knows."""
