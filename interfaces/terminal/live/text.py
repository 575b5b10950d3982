"""Text of an exact width in terminal columns, and times for people."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text


def fitted(words: str, width: int) -> str:
    """Return the words in exactly `width` columns, padded or cut off with an ellipsis."""
    if cell_len(words) <= width:
        return set_cell_size(words, width)
    return set_cell_size(words, max(0, width - 3)) + "..."[: min(3, width)]


def line(width: int, *parts: str | tuple[str, str]) -> Text:
    """Return parts, plain or with a style, as one line of at most `width` columns."""
    text = Text.assemble(*parts, no_wrap=True)
    text.truncate(width)
    return text


def between(width: int, left: Text, right: Text) -> Text:
    """Return one text at the left edge and one at the right, left out if it does not fit."""
    gap = width - left.cell_len - right.cell_len
    if gap < 2:
        left.truncate(width)
        return left
    return Text.assemble(left, " " * gap, right, no_wrap=True)


def clock_text(seconds: float) -> str:
    """Return a time like `9.3`, `1:05` or `2:03:04`."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
