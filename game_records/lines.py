"""The lines of a file that may come from a stranger, and games named in headings."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from oddly.games.catalogue import create_game, read_setting
from oddly.games.errors import GameError
from oddly.referee.justice.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games.game import Game


MAX_LINE_LENGTH = 1 << 20
"""In bytes: ten times the longest game on the largest board."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Return the numbered lines as text. Raises RecordError for a line that cannot be read."""
    number = 0
    while line := stream.readline(MAX_LINE_LENGTH + 1):
        number += 1
        if len(line) > MAX_LINE_LENGTH:
            raise RecordError(f"line {number} is longer than {MAX_LINE_LENGTH >> 20} MiB")
        try:
            yield number, line.removeprefix(_BYTE_ORDER_MARK).decode()
        except UnicodeDecodeError as error:
            raise RecordError(
                f"line {number} is not UTF-8 text, at byte {error.start + 1}"
            ) from None


_NAME = re.compile(r"([a-z]{1,20}) ([0-9]{1,3})(?: \(([a-z0-9_, ]{1,200})\))?", re.ASCII)


def game_named(text: str) -> Game | None:
    """Return the game with that heading, `odd 5 (board square, min_group 5)`, or None."""
    found = _NAME.fullmatch(text.strip())
    if found is None:
        return None
    name, size, listed = found.groups()
    settings: dict[str, object] = {}
    try:
        for words in listed.split(", ") if listed else ():
            setting, _, value = words.partition(" ")
            settings[setting] = read_setting(name, setting, value)
        return create_game(name, int(size), settings)
    except GameError:
        return None
