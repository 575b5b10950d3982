"""Sessions in Markdown: the fenced blocks that the tests replay against real engines.

A block begins with ```` ```transcript ````, which may be followed by the game it starts in, as in
`game=odd size=3`. A line `> COMMAND` is sent; the lines up to the next empty line or command are
the whole reply, as it goes over the wire, without its closing empty line. A line `...` stands for
any further lines of that reply. The space after the `=` is left out if the reply continues on the
next line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ANYTHING = "..."

_FENCE = re.compile(r"^```transcript([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """A command and the reply it must get. `line` is that of the command in the document."""

    line: int
    sent: str
    expected: tuple[str, ...]

    def matches(self, reply: str) -> bool:
        """Return whether `reply`, without its closing empty line, is the expected one."""
        lines = tuple(reply.split("\n"))
        if len(lines) > 1:
            lines = (lines[0].rstrip(" "), *lines[1:])
        if self.expected and self.expected[-1] == ANYTHING:
            known = self.expected[:-1]
            return lines[: len(known)] == known
        return lines == self.expected


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session: its line, the game it starts in, and its exchanges."""

    line: int
    settings: dict[str, str]
    exchanges: tuple[RecordedExchange, ...]


def find_transcripts(markdown: str) -> list[Transcript]:
    """Return all sessions of a document, in order."""
    found = []
    for match in _FENCE.finditer(markdown):
        line = markdown.count("\n", 0, match.start()) + 1
        settings = dict(word.partition("=")[::2] for word in match[1].split())
        found.append(Transcript(line, settings, _exchanges(match[2], line + 1)))
    return found


def _exchanges(body: str, first_line: int) -> tuple[RecordedExchange, ...]:
    exchanges: list[RecordedExchange] = []
    ended = False
    for number, line in enumerate(body.splitlines(), start=first_line):
        if line.startswith("> "):
            exchanges.append(RecordedExchange(number, line[2:], ()))
            ended = False
        elif not line:
            ended = True
        elif not exchanges or ended:
            raise ValueError(f"line {number}: {line!r} belongs to no command")
        else:
            last = exchanges.pop()
            exchanges.append(RecordedExchange(last.line, last.sent, (*last.expected, line)))
    return tuple(exchanges)
