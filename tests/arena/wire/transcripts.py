"""The sessions on the page of the wire: who says what, connection by connection."""

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "arena-wire.md"
SECRET = bytes(range(32))
"""The secret key of the engine in the sessions."""
HOST = "arena.example.org"
CUT = "# cut"


class Line(NamedTuple):
    side: str
    """S for the server, C for the client, empty for a cut."""
    text: str


def transcripts() -> list[list[Line]]:
    """Each session of the page."""
    blocks = re.findall(r"^```wire\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [[_line(line) for line in block.splitlines()] for block in blocks]


def _line(line: str) -> Line:
    if line == CUT:
        return Line("", "")
    side, _, text = line.partition(" ")
    assert side in ("S", "C"), line
    return Line(side, text)
