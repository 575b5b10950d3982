"""The protocol's messages as values, which the codec converts from and to bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Command(NamedTuple):
    """A command with its arguments as words, and its id if it has one.

    A `comment` is written after it and never read.
    """

    name: str
    arguments: tuple[str, ...] = ()
    id: int | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class MalformedCommand:
    """A line that is not a command: its text (bounded), what is wrong, and its id if readable."""

    text: str
    reason: str
    id: int | None = None


class Reply(NamedTuple):
    """An answer: `=` if `ok`, else `?`; its text without the marks, and the command's id."""

    ok: bool
    text: str = ""
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    """The answer to `genmove` that gives the game up. Written `resign`."""

    def __str__(self) -> str:
        return "resign"


RESIGN = Resign()
