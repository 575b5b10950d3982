"""The protocol's messages as values, the expressions that recognise them, and the errors.

Text that the expressions recognise is read without the grammar, which would cost a hundred times as
much and an import at every engine's start. Tests show that the grammar reads it the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

MAX_EVIDENCE = 400


class ProtocolError(Exception):
    """Either side broke the protocol."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol. `evidence` is the start of what it sent."""

    def __init__(self, reason: str, evidence: bytes = b"") -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence[:MAX_EVIDENCE]


class LocalProtocolError(ProtocolError):
    """We were about to break the protocol, which is a bug of ours."""


class NotationError(ValueError):
    """Text that cannot be read. `column` counts from 0; `expected` describes what belongs there.

    `hint` ends the message, such as `; did you mean '5'?`.
    """

    def __init__(self, what: str, text: str, column: int, expected: str, hint: str = "") -> None:
        self.what = what
        self.text = text
        self.column = column
        self.expected = expected
        super().__init__(
            f"malformed {what} {text[:80]!r}: expected {expected} at character {column + 1}{hint}"
        )
        self._hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return (
            type(self),
            (self.what, self.text, self.column, self.expected, self._hint),
            self.__dict__,
        )

    def pointed(self) -> str:
        """Return the text with a caret below the character that is wrong; empty if it is blank.

        An unprintable character is shown as '?'.
        """
        if not self.text.strip():
            return ""
        shown = "".join(c if c.isprintable() else "?" for c in self.text[:80])
        return f"  {shown}\n  {' ' * _columns(shown[: self.column])}^"


def _columns(text: str) -> int:
    """Return how many columns of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    # Few texts need it, and engines start without it.
    from unicodedata import category, east_asian_width

    # A combining mark takes no column, even one that counts as wide.
    spacing = [c for c in text if category(c) not in ("Mn", "Me")]
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in spacing)


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
    """The answer to `genmove` that resigns the game. Written `resign`."""

    def __str__(self) -> str:
        return "resign"


RESIGN = Resign()


MAX_ID = 2**31 - 1
MAX_ID_DIGITS = 10
"""Leading zeros included."""
MAX_TURN_LENGTH = 200
"""The maximum number of characters in a turn."""

COMMAND = re.compile(r"(?:(0|[1-9][0-9]{0,8}) )?([a-z][a-z0-9_-]*)((?: [!-~]+)*)")
WORDS = re.compile(r"[a-z][a-z0-9_-]*(?: [!\"$-~]+)*")
"""A command without its id, as it may be sent."""
REPLY = re.compile(rb"=([0-9]{1,9})(?: ([!-~](?:[ -~]*[!-~])?))?\n\n")
REPLIES = re.compile(rb"(?:" + REPLY.pattern + rb")+")
"""Whole successful replies of one line each, with ids."""

VERTEX = re.compile("[a-z][1-9][0-9]?")

SECONDS = r"[0-9]{1,7}(?:\.[0-9]{1,3})?"
COUNT = "[0-9]{1,4}"
TIME_CONTROL = re.compile(
    rf"(?P<main>{SECONDS})"
    rf"(?:\+(?:(?P<turns>{COUNT})/(?P<block>{SECONDS})"
    rf"|(?P<periods>{COUNT})x(?P<period>{SECONDS})"
    rf"|(?P<increment>{SECONDS})))?"
)
