"""The lines of a file that may come from a stranger."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from oddly.referee.justice.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
