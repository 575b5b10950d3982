"""The JSON objects of a file one by one: alone, in a list, or one after the other."""

from __future__ import annotations

import codecs
import json
from typing import IO, TYPE_CHECKING, Any

from oddly.referee.justice.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_OBJECT = 1 << 20
"""The most characters of one object: ten times the longest game on the largest board."""
_BETWEEN = " \t\r\n,[]"


def json_objects(stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each object with the number of its first line.

    No more than two objects of the greatest length are in memory. Raises RecordError with the line
    for what is no object, or too long.
    """
    decode = codecs.getincrementaldecoder("utf-8-sig")()
    text, line, ended = "", 1, False
    while True:
        rest = text.lstrip(_BETWEEN)
        line += text.count("\n", 0, len(text) - len(rest))
        text = rest
        while not ended and len(text) <= MAX_OBJECT:
            data = stream.read(MAX_OBJECT)
            ended = not data
            try:
                text += decode.decode(data, final=ended)
            except UnicodeDecodeError:
                raise RecordError(f"line {line} or later is not UTF-8 text") from None
        if not text.strip(_BETWEEN):
            if ended:
                return
            continue
        if text[0] in _BETWEEN:
            continue
        value, length = _first(text, line)
        yield line, value
        line += text.count("\n", 0, length)
        text = text[length:]


def _first(text: str, line: int) -> tuple[dict[str, Any], int]:
    """The object that a text begins with, and its length. Raises RecordError."""
    try:
        value, length = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        if len(text) > MAX_OBJECT:
            raise RecordError(
                f"line {line}: not JSON from here on, or longer than {MAX_OBJECT >> 20} MiB"
            ) from None
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        raise RecordError(f"{place}: not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except (ValueError, RecursionError):
        raise RecordError(f"line {line}: a number or a nesting that is too large") from None
    if not isinstance(value, dict):
        raise RecordError(f"line {line}: a game is a JSON object")
    return value, length
